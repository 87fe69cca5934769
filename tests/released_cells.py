"""Published cells as a stranger reads them, for tests that count who fits them one by one."""

TREE = {value: (value, f"{value}*" if value in "ab" else "c-d", "*") for value in "abcd"}


def holds(cell, value):
    """Tell whether a published cell may stand for a value: it is read as text, as a stranger would."""
    if cell == "*":
        return True
    if value is None:
        return cell is None or cell == ""
    if cell is None:
        return False
    if cell[0] == "{":
        return str(value) in cell[1:-1].split(";")
    if cell[0] == "[":
        low, high = cell[1:-1].split(";")
        return int(low) <= value <= int(high)
    return cell == str(value) or (value in TREE and cell in TREE[value])


def shown(table, names):
    """Give what each row of a release shows, as texts."""
    arrow = table.to_arrow(cells="text")
    columns = [arrow[name].to_pylist() for name in names]
    return [tuple(None if cell is None else str(cell) for cell in row) for row in zip(*columns, strict=True)]

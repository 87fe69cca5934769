"""Every node of a lattice, counted record by record, as the definitions say: slow, and independent of the search."""

import itertools
import math
from collections import Counter, defaultdict


class Tree:
    """A hierarchy as rows of texts from the value to the root."""

    def __init__(self, rows):
        self.rows = {row[0]: row for row in rows}
        self.height = len(rows[0]) - 1
        self.leaves = [Counter(row[level] for row in rows) for level in range(self.height + 1)]
        self.size = len(rows)

    def share(self, value, level):
        return self.leaves[level][self.rows[value][level]] / self.size


def grouped(records, trees, levels):
    classes = defaultdict(list)
    for number, record in enumerate(records):
        key = tuple(tree.rows[value][level] for tree, value, level in zip(trees, record, levels, strict=True))
        classes[key].append(number)
    return classes


def keeps(members, secrets, models):
    """Tell whether some records keep all promises."""
    found = Counter(secrets[i] for i in members)
    whole = Counter(secrets)
    n = len(members)
    shares = sorted((count / n for count in found.values()), reverse=True)
    for name, level in models.items():
        if name == "k" and n < level:
            return False
        if name == "distinct" and len(found) < level:
            return False
        if name == "entropy" and math.exp(-sum(p * math.log(p) for p in shares)) < level * (1 - 1e-12):
            return False
        if name == "recursive":
            counts = sorted(found.values(), reverse=True)
            if not counts[0] < level[0] * sum(counts[level[1] - 1 :]):
                return False
        if name == "alpha" and shares[0] > level:
            return False
        if name == "t" and sum(abs(found[v] / n - whole[v] / len(secrets)) for v in whole) / 2 > level + 1e-12:
            return False
    return True


def column_losses(records, trees, levels, out, utility, g):
    """Give the loss of each column at a node, by the table of definitions."""
    n, o = len(records), len(out)
    generalized, suppressed = (1.0 if g <= 0.5 else 2 * (1 - g)), (2 * g if g < 0.5 else 1.0)
    found = []
    for j, (tree, level) in enumerate(zip(trees, levels, strict=True)):
        if utility == "loss":
            value = 0.0
            for i, record in enumerate(records):
                share = tree.share(record[j], level)
                value += share + suppressed * (1 - share) if i in out else generalized * share
            least = generalized * n / tree.size
            found.append(max(0.0, (value - least) / (n - least)) if n > least else 0.0)
        elif utility == "precision":
            found.append(((n - o) * generalized * level / tree.height + o * suppressed) / n if tree.height else 0.0)
        elif utility == "height":
            found.append(float(level))
        else:
            values = Counter(record[j] for record in records)
            above = Counter(tree.rows[record[j]][level] for record in records)
            bits = -generalized * sum(a * math.log2(a / above[tree.rows[v][level]]) for v, a in values.items())
            if utility == "entropy":
                hidden = Counter(tree.rows[records[i][j]][level] for i in out)
                bits -= suppressed * sum(q * math.log2(q / o) for q in hidden.values())
            found.append(bits)
    return found


def aggregated(losses, how, weights):
    top = max(weights)
    weighed = [w / top * x for w, x in zip(weights, losses, strict=True)]
    d = len(losses)
    return {
        "arithmetic": sum(weighed) / d,
        "sum": sum(weighed),
        "maximum": max(weighed),
        "geometric": math.prod(1 + x for x in weighed) ** (1 / d) - 1,
        "rank": max(weighed),
    }[how]


def class_loss(records, trees, levels, classes, out, utility, secrets):
    n, o = len(records), len(out)
    kept = {key: members for key, members in classes.items() if members[0] not in out}

    def leaves(key):
        return [tree.leaves[level][text] for tree, level, text in zip(trees, levels, key, strict=True)]

    whole = math.prod(tree.size for tree in trees)
    if utility == "discernibility":
        return sum(len(m) ** 2 for m in kept.values()) + n * o
    if utility == "average-class-size":
        return n / (len(kept) + (o > 0))
    if utility == "ambiguity":
        return sum(len(m) * math.prod(leaves(key)) for key, m in kept.items()) + o * whole
    if utility == "entropy-loss":
        unit = math.log(whole) or 1.0  # one combination of leaves leaves nothing to lose
        left = {key: (math.log(whole) + math.log(math.prod(leaves(key)) / whole)) / unit for key in kept}
        return sum(len(members) * left[key] for key, members in kept.items()) + o
    if utility == "kl-divergence":
        spread = {}
        for key, members in classes.items():
            gone = members[0] in out
            share = o / n / whole if gone else len(members) / n / math.prod(leaves(key))
            spread |= dict.fromkeys(members, share)
        tuples = Counter(records)
        first = {record: number for number, record in reversed(list(enumerate(records)))}
        return sum(c / n * math.log2(c / n / spread[first[record]]) for record, c in tuples.items())
    wrong = o
    for members in kept.values():
        (_, top), *rest = Counter(secrets[i] for i in members).most_common()
        wrong += len(members) if rest and rest[0][1] == top else len(members) - top
    return wrong / n


def every_node(records, secrets, trees, models, utility, how, g, weights):
    """Give for each node: records that break a promise, whether they keep all together, classes, and the loss."""
    found = {}
    for levels in itertools.product(*(range(tree.height + 1) for tree in trees)):
        classes = grouped(records, trees, levels)
        broken = [m for m in classes.values() if not keeps(m, secrets, models)]
        out = {i for members in broken for i in members}
        together = not out or keeps(sorted(out), secrets, models)
        if utility in ("loss", "precision", "height", "entropy", "margins"):
            losses = column_losses(records, trees, levels, out, utility, g)
            loss = aggregated(losses, how, weights)
        else:
            loss = class_loss(records, trees, levels, classes, out, utility, secrets)
        found[levels] = len(out), together, len(classes), loss
    return found

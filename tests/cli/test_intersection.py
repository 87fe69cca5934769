"""`shoal attack --with`: several releases side by side."""

import itertools


def test_files_are_laid_side_by_side(desk):
    rows = list(itertools.product(range(6), range(5)))
    desk.put("in.csv", "a,b,ill\n" + "".join(f"{a},{b},v{i % 9}\n" for i, (a, b) in enumerate(rows)))
    for method in ("hilbert", "sorted-clusters"):
        roles = ("--quasi", "a,b", "--sensitive", "ill", "--k", 3)
        desk.run("anonymize", "in.csv", "--out", f"{method}.csv", "--method", method, *roles).fine()
    asked = ("in.csv", "hilbert.csv", "--quasi", "a,b", "--secret", "ill", "--attack", "intersection")
    found = desk.run("attack", *asked, "--with", "sorted-clusters.csv", "--json").json()["attacks"]
    assert [each["name"] for each in found] == ["intersection pinned", "intersection guess", "intersection alone"]
    assert all(each["rate"] >= each["control"] for each in found)
    (lacking,) = desk.run("attack", *asked, "--json").json()["not_tried"]
    assert "--with" in lacking["why"]

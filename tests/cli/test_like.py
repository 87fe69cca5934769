"""`shoal anonymize --like`: the classes of an earlier release again."""


def test_an_earlier_release_is_followed(desk):
    text = "a,b,ill\n" + "".join(f"{i * 37 % 100},{i * 11 % 60},v{i % 5}\n" for i in range(60))
    desk.put("in.csv", text)
    roles = ("--quasi", "a,b", "--sensitive", "ill", "--k", 3)
    desk.run("anonymize", "in.csv", "--out", "first.csv", *roles).fine()
    desk.run(
        "anonymize", "in.csv", "--out", "again.csv", *roles, "--like", "first.csv", "--save-recipe", "r.toml"
    ).fine()
    first, again = (set(desk.read(f"{name}.csv").splitlines()) for name in ("first", "again"))
    assert len(first & again) > len(again) / 2
    desk.run("check", "again.csv").fine()
    assert 'release = "first.csv"' in desk.read("r.toml")
    refused = desk.run("anonymize", "in.csv", "--out", "x.csv", *roles, "--like", "first.csv", "--method", "hilbert")
    refused.refused(2, "--like", "--method")
    desk.run("anonymize", "in.csv", "--out", "first.csv", *roles, "--like", "first.csv", "--overwrite").refused(
        2, "first.csv"
    )

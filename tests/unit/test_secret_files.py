"""Files that nobody else may read: whole or not there, however their writing ends."""

import errno
import os
import stat

import pytest

from shoal.errors import DataError, ParameterError
from shoal.secret_keys import write_secret


@pytest.mark.parametrize(
    ("wrong", "seen"), [(OSError(errno.ENOSPC, "No space left on device"), DataError), (KeyboardInterrupt(), None)]
)
def test_nothing_half_written_is_left(wrong, seen, tmp_path, monkeypatch):
    def stopped(_):
        raise wrong

    monkeypatch.setattr(os, "fsync", stopped)
    with pytest.raises(seen or type(wrong)):
        write_secret(tmp_path / "k.key", b"0123", public={tmp_path / "k.pub": b"45"})
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_the_owners_alone_and_is_never_replaced(tmp_path):
    path = tmp_path / "k.key"
    write_secret(path, b"0123")
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(ParameterError, match="there already"):
        write_secret(path, b"4567")
    assert path.read_bytes() == b"0123"


def test_what_all_may_read_comes_with_it_or_not_at_all(tmp_path):
    secret, public = tmp_path / "k.key", tmp_path / "k.pub"
    public.write_bytes(b"somebody's")
    with pytest.raises(ParameterError, match=r"k\.pub' is there already"):
        write_secret(secret, b"0123", public={public: b"45"})
    assert not secret.exists()
    public.unlink()
    write_secret(secret, b"0123", public={public: b"45"})
    assert (secret.read_bytes(), public.read_bytes()) == (b"0123", b"45")
    if os.name == "posix":
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
        assert stat.S_IMODE(public.stat().st_mode) & 0o444 == 0o444


def test_a_link_that_leads_nowhere_is_not_followed(tmp_path):
    path = tmp_path / "k.key"
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ParameterError, match="there already"):
        write_secret(path, b"0123")
    assert not (tmp_path / "elsewhere").exists()

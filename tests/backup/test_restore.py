"""Backup → wipe → restore: everything is as it was, or nothing was changed."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from munin_app import config
from munin_app.backup import pending
from munin_app.backup.pending import discard, settle, stage
from munin_app.backup.reading import read_manifest, unpack
from munin_app.backup.writing import write_backup
from munin_app.bootstrap import Munin
from munin_app.domain.messages import Role
from munin_app.domain.personas import Persona
from munin_app.errors import BackupError
from tests.backup.forging import document_of, forge
from tests.backup.profiles import content, content_hash, fact, fill, sentence, write_profile
from tests.conftest import StartMunin

REMEMBERED = int(os.environ.get("MUNIN_REMEMBERED", "5"))
"""Chats, of 50, that are in memory: to index all of them twice takes minutes."""
ASKED = ("harbour lantern granite", "glacier compass meadow timber", "saffron meadow", "violin orchard anchor ledger")


async def caught_up(munin: Munin) -> None:
    await munin.memory.warm_up()
    await munin.controller.catch_up()


async def recalled(munin: Munin) -> list[list[tuple[str, float]]]:
    outcomes = [await munin.memory.recall(words, 6, threshold=-1) for words in ASKED]
    return [[(found.memory.message_id, round(found.score, 6)) for found in outcome.results] for outcome in outcomes]


async def test_a_large_profile_comes_back_whole_and_recalls_the_same(home: Path, tmp_path: Path, start_munin: StartMunin) -> None:
    write_profile(
        home,
        [fact(f"Knows the word {word} number {n}") for n in range(3) for word in "abcdefghijklm"] + [fact("Likes tea")],
        key=b"k" * 32,
    )
    munin = await start_munin()
    await fill(munin, conversations=50, turns=49, remembered=REMEMBERED)  # 100 messages each
    await munin.controller.personas.save(Persona("", "Chef", "cooking", "You cook.", own_memory=True, starters=("Cook ",)))
    await munin.change_settings(theme="dark")
    await caught_up(munin)
    before = await recalled(munin)
    target, manifest = write_backup(tmp_path, [])  # while it is open
    await munin.close()
    hashed = content_hash(home)
    assert (manifest.counts.messages, manifest.counts.facts, manifest.counts.personas) == (5000, 40, 1)
    assert any(before) and target.parent == tmp_path

    shutil.rmtree(home)
    home.mkdir()
    stage(target, home, merge=False)
    settle(home)
    again = await start_munin()
    await caught_up(again)
    assert await recalled(again) == before
    await again.close()
    assert content_hash(home) == hashed


async def test_what_is_hidden_is_not_in_it_and_what_is_temporary_neither(
    home: Path, tmp_path: Path, start_munin: StartMunin
) -> None:
    munin = await start_munin()
    kept, hidden = await fill(munin, conversations=2, turns=3)
    await munin.chats.database.write(  # a reply that was given something of the hidden chat
        lambda connection: connection.execute(
            "UPDATE prompt_part SET text = 'xyzzy', source_id = (SELECT min(id) FROM message WHERE conversation_id = ?) "
            "WHERE conversation_id = ?",
            (hidden, kept),
        )
    )
    await munin.forgetting.hide_conversation(hidden)
    (gone, *_) = await munin.chats.path(kept)
    await munin.forgetting.hide_message(gone.id)
    temporary = await munin.controller.new_conversation(temporary=True)
    await munin.controller.send(temporary.id, "plugh")
    await munin.controller.drain()
    target, manifest = write_backup(tmp_path / "b.zip", [])
    assert (manifest.counts.conversations, manifest.counts.messages) == (1, 7)
    unpack(target, tmp_path)
    found = (tmp_path / "munin.db").read_bytes()
    assert sentence(0, 0, Role.ASSISTANT).encode() in found
    for words in (hidden, gone.text, sentence(1, 0, Role.USER), "xyzzy", "plugh", temporary.id):
        assert words.encode() not in found
    assert await munin.chats.hidden() == (hidden,)


async def test_a_backup_leaves_nothing_beside_it_and_takes_no_file_that_is_there(backup: Path, home: Path) -> None:
    assert not list(backup.parent.glob("*.part")) and backup.stat().st_mode & 0o077 == 0
    with pytest.raises(BackupError, match="there already"):
        write_backup(backup, [])
    with pytest.raises(BackupError, match="data folder"):
        write_backup(home / "munin.zip", [])


async def test_replacing_takes_the_place_of_everything(backup: Path, home: Path, start_munin: StartMunin) -> None:
    wanted = content(home)
    munin = await start_munin()
    await fill(munin, conversations=2, turns=2, label="later ")
    await munin.change_settings(theme="light")
    await munin.profile.add("Lives in Oslo")
    await munin.forgetting.forget_fact(munin.profile.facts[0].id)
    await munin.close()
    (home / "sessions").mkdir(exist_ok=True)
    (home / "sessions" / "one.kv").write_bytes(b"tokens")
    assert content(home) != wanted
    stage(backup, home, merge=False)
    settle(home)
    assert content(home) == wanted
    assert not (home / "sessions").exists() and not (home / "munin_memory.db").exists() and not (home / "profile.key").exists()


async def test_a_model_of_another_machine_is_not_asked_for(backup: Path, home: Path) -> None:
    config.save_settings(home / "settings.json", config.Settings(theme="dark", model_path="/gone/model.gguf"))
    target, _ = write_backup(backup.with_name("other.zip"), [])
    stage(target, home, merge=False)
    settle(home)
    assert config.load_settings(home / "settings.json") == config.Settings(theme="dark")


@pytest.mark.parametrize("merge", [False, True], ids=["replace", "merge"])
async def test_a_backup_of_an_earlier_release_is_upgraded(backup: Path, home: Path, start_munin: StartMunin, merge: bool) -> None:
    release = Path(__file__).parents[1] / "data" / "release-1"
    members = {name: (release / name).read_bytes() for name in ("munin.db", "profile.json", "settings.json")}
    forge(backup, members, document_of(backup, schemas={"munin.db": 1, "profile.json": 1, "settings.json": 1}))
    stage(backup, home, merge=merge)
    settle(home)
    munin = await start_munin()
    assert len(await munin.chats.list()) == (4 if merge else 1) and not munin.notices
    assert {"Name is Ada", "Lives in Oslo"} <= {fact.text for fact in munin.profile.facts}


class Killed(BaseException):
    pass


@pytest.mark.parametrize("merge", [False, True], ids=["replace", "merge"])
async def test_a_kill_at_any_step_is_made_up_for(
    backup: Path, home: Path, start_munin: StartMunin, monkeypatch: pytest.MonkeyPatch, merge: bool
) -> None:
    munin = await start_munin()
    await munin.chats.erase([(await munin.chats.list())[0].id])
    await fill(munin, conversations=1, turns=2, label="later ")
    await munin.close()
    old = content(home)
    shutil.copytree(home, home.with_name("old"))
    stage(backup, home, merge=merge)
    settle(home)
    new = content(home)
    assert new != old
    steps = 0
    for dying in range(200):
        shutil.rmtree(home)
        shutil.copytree(home.with_name("old"), home)
        left = dying

        def or_die(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any, **options: Any) -> Any:
                nonlocal left
                if left == 0:
                    raise Killed
                left -= 1
                return real(*arguments, **options)

            return call

        with monkeypatch.context() as patch:
            for owner, name in ((os, "rename"), (os, "replace"), (Path, "unlink"), (Path, "mkdir"), (shutil, "rmtree")):
                patch.setattr(owner, name, or_die(getattr(owner, name)))
            try:
                stage(backup, home, merge=merge)
                settle(home)
                break
            except Killed:
                steps += 1
        settle(home)
        assert content(home) in (old, new)
        assert not list(home.glob("restore.*"))
    assert steps > 5


async def test_a_restore_that_was_staged_is_done_at_the_next_start_or_discarded(
    backup: Path, home: Path, start_munin: StartMunin
) -> None:
    wanted = content(home)
    munin = await start_munin()
    await fill(munin, conversations=1, turns=1, label="later ")
    stage(backup, home, merge=False)
    discard(home)
    assert not pending.staged(home)
    stage(backup, home, merge=False)
    await munin.close()
    again = await start_munin()
    assert {one.title for one in await again.chats.list()} == {"Chat 0", "Chat 1", "Chat 2"} and not again.notices
    await again.close()
    assert content(home)["message"] == wanted["message"]


async def test_a_merge_that_cannot_be_made_is_given_up_and_told(
    backup: Path, home: Path, start_munin: StartMunin, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = content(home)
    stage(backup, home, merge=True)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pending, "merge", full)
    munin = await start_munin()
    assert "could not be merged (No space left on device); everything is as it was before" in munin.notices[0]
    await munin.close()
    assert content(home)["message"] == wanted["message"] and not list(home.glob("restore.*"))


def test_the_manifest_says_what_is_not_in_it(backup: Path) -> None:
    found = read_manifest(backup)
    assert "rebuilt from munin.db" in found.not_included
    assert found.members.keys() == {"munin.db", "profile.json", "settings.json"}

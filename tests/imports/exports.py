"""Exports as each app writes them, as far as that is known from public sources."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

SECOND = 1_700_000_000.0
OSLO = "My name is Ada and I live in Oslo."


def node(id_: str, parent: str | None, role: str, *parts: Any, at: float | None = None, **more: Any) -> dict[str, Any]:
    content = more.pop("content", {"content_type": "text", "parts": list(parts)})
    message = {"id": id_, "author": {"role": role}, "create_time": at, "content": content, "metadata": {}, "recipient": "all"}
    return {"id": id_, "parent": parent, "children": [], "message": message | more}


def chatgpt(id_: str = "c-1", *extra: dict[str, Any], leaf: str = "n7", title: str = "Harbours") -> dict[str, Any]:
    """An edited question, a reply that called a tool, thoughts, a hidden system text and a picture."""
    nodes = [
        {"id": "root", "parent": None, "children": [], "message": None},
        node("n1", "root", "system", "You are helpful.", metadata={"is_visually_hidden_from_conversation": True}),
        node("n2", "n1", "user", OSLO, at=SECOND),
        node("n3", "n2", "assistant", "Hello Ada.", at=SECOND + 5),
        node("n4", "n2", "assistant", "Hi Ada.", at=SECOND + 60),
        node("n5", "n4", "user", {"content_type": "image_asset_pointer"}, "What is in this picture?", at=SECOND + 90),
        node(
            "t1",
            "n5",
            "assistant",
            content={"content_type": "thoughts", "thoughts": [{"summary": "A boat", "content": "Is it?"}]},
        ),
        node("t2", "t1", "assistant", content={"content_type": "code", "text": "look()"}, recipient="python"),
        node("t3", "t2", "tool", "a boat"),
        node("n6", "t3", "assistant", "A boat.", at=SECOND + 95),
        node("n7", "n6", "assistant", "It is red.", at=SECOND + 96),
        *extra,
    ]
    return {
        "id": id_,
        "title": title,
        "create_time": SECOND,
        "update_time": SECOND + 100,
        "current_node": leaf,
        "mapping": {one["id"]: one for one in nodes},
    }


def claude(id_: str = "u-1") -> dict[str, Any]:
    def said(number: int, sender: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
        at = f"2024-03-01T10:00:{number:02}.500000Z"
        return {"uuid": f"m{number}", "sender": sender, "text": "", "content": list(blocks), "created_at": at} | more

    def text(words: str) -> dict[str, Any]:
        return {"type": "text", "text": words}

    return {
        "uuid": id_,
        "name": "Recipes",
        "created_at": "2024-03-01T10:00:00Z",
        "updated_at": "2024-03-01T10:00:09Z",
        "chat_messages": [
            said(
                1, "human", text("Read this"), attachments=[{"file_name": "soup.txt", "extracted_content": "Salt ``` and water"}]
            ),
            said(
                2, "assistant", {"type": "thinking", "thinking": "Soup it is"}, text("A soup."), {"type": "tool_use", "name": "x"}
            ),
            said(3, "human", text="Old exports have plain text", content=[]),
            said(4, "assistant", text("So they do."), files=[{"file_name": "a.png"}]),
        ],
    }


def open_webui(id_: str = "w-1") -> dict[str, Any]:
    def said(id_: str, parent: str | None, role: str, content: Any, at: int) -> dict[str, Any]:
        return {"id": id_, "parentId": parent, "childrenIds": [], "role": role, "content": content, "timestamp": at}

    thought = '<details type="reasoning" done="true">\n<summary>Thought</summary>\n&gt; 2 &gt; 1\n&gt; so yes\n</details>\n'
    messages = [
        said("a", None, "user", "Is two more than one?", 1_710_000_000),
        said("b", "a", "assistant", thought + "Yes.", 1_710_000_001),
        said("c", "a", "assistant", "No.", 1_710_000_009),
    ]
    history = {"messages": {one["id"]: one for one in messages}, "currentId": "b"}
    return {"id": id_, "title": "Numbers", "created_at": 1_710_000_000, "updated_at": 1_710_000_010, "chat": {"history": history}}


def lm_studio() -> dict[str, Any]:
    def version(role: str, *texts: str, thought: str = "") -> dict[str, Any]:
        blocks = [{"type": "contentBlock", "content": [{"type": "text", "text": one}]} for one in texts]
        thinks = [{"type": "contentBlock", "style": {"type": "thinking"}, "content": [{"type": "text", "text": thought}]}] * bool(
            thought
        )
        if role == "user":
            return {"type": "singleStep", "role": role, "content": [{"type": "text", "text": texts[0]}]}
        return {"type": "multiStep", "role": role, "steps": [*thinks, *blocks, {"type": "debugInfoBlock"}]}

    return {
        "name": "Ships",
        "createdAt": 1_712_000_000_000,
        "messages": [
            {"versions": [version("user", "Name a ship")], "currentlySelected": 0},
            {
                "versions": [version("assistant", "Fram", thought="A Norwegian one"), version("assistant", "Vasa")],
                "currentlySelected": 1,
            },
            {"versions": [version("user", "And another")], "currentlySelected": 0},
        ],
    }


def pocketpal(id_: str = "p-1") -> dict[str, Any]:
    def said(number: int, author: str, words: str, **metadata: Any) -> dict[str, Any]:
        return {
            "id": f"q{number}",
            "author": author,
            "text": words,
            "type": "text",
            "metadata": metadata,
            "createdAt": 1_713_000_000_000 + number,
        }

    return {
        "id": id_,
        "title": "Walks",
        "date": "2024-04-13T09:00:00.000Z",
        "messages": [
            said(3, "h3o3lc5xj", "The model could not be loaded", system=True),
            said(2, "h3o3lc5xj", "<think>Trees</think>In the wood."),
            said(1, "y9d7f8pgn", "Where shall I walk?"),
        ],
        "completionSettings": {},
    }


EVERY: dict[str, Any] = {
    "ChatGPT": [chatgpt()],
    "Claude": [claude()],
    "Open WebUI": [open_webui()],
    "LM Studio": lm_studio(),
    "PocketPal": pocketpal(),
}


def as_json(folder: Path, value: Any, name: str = "anything.json") -> Path:
    file = folder / name
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return file


def as_zip(folder: Path, members: dict[str, Any], name: str = "export.zip") -> Path:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, value in members.items():
            archive.writestr(member, value if isinstance(value, str | bytes) else json.dumps(value))
    (folder / name).write_bytes(packed.getvalue())
    return folder / name

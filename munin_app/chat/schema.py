"""The schema of munin.db, the truth about chats and about what may be remembered of them. Append-only list."""

MIGRATIONS = (
    """
    CREATE TABLE conversation (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        title_source TEXT,               -- the message the title was made from; NULL: the user's own title
        created_at INTEGER NOT NULL,     -- Unix ms, as all times
        updated_at INTEGER NOT NULL,
        leaf_id TEXT,                    -- where the shown path ends
        window_start_id TEXT,            -- compaction: the prompt begins at this message; NULL: at the first
        summary TEXT,                    -- of the path up to summary_until, made before a compaction needs it
        summary_until TEXT,
        pinned INTEGER NOT NULL DEFAULT 0,
        memory_on INTEGER NOT NULL DEFAULT 1,
        deleted_at INTEGER               -- offered for Undo; erased when the offer ends or at the next start
    ) STRICT;

    CREATE TABLE message (               -- a tree: a middle message that is deleted is blanked, its children stay
        id TEXT PRIMARY KEY,
        conversation_id TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
        parent_id TEXT REFERENCES message ON DELETE SET NULL,
        role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
        text TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('streaming', 'completed', 'stopped', 'failed', 'deleted')),
        memory TEXT NOT NULL CHECK (memory IN ('pending', 'indexed', 'off', 'wiped', 'forgotten')),
        learned INTEGER NOT NULL DEFAULT 0,   -- facts were sought in it
        error TEXT NOT NULL DEFAULT '',
        reasoning TEXT NOT NULL DEFAULT '',   -- what the model thought first; goes when anything in its conversation is forgotten
        reasoning_ms INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX message_by_conversation ON message (conversation_id, id);
    CREATE INDEX message_by_parent ON message (parent_id);
    CREATE INDEX message_to_index ON message (memory) WHERE memory = 'pending';

    CREATE TABLE stale_session (         -- the model still holds tokens of this conversation, in memory or in a file, that
        conversation_id TEXT PRIMARY KEY -- must go: written with the forgetting itself, so that a kill in between is made up for
    ) STRICT;

    CREATE TABLE prompt_part (           -- what stands in prompts beside the messages themselves, by source
        conversation_id TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
        turn_id TEXT NOT NULL REFERENCES message ON DELETE CASCADE,  -- the user message it was first sent with
        place TEXT NOT NULL CHECK (place IN ('system', 'turn')),     -- the system block from here on, or its own text
        ordinal INTEGER NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('persona', 'fact', 'snippet', 'summary')),
        source_id TEXT NOT NULL,         -- persona, fact or message id; of a summary: the last message it covers
        text TEXT NOT NULL,
        format INTEGER NOT NULL,         -- version of the rendering
        similarity REAL,
        score REAL,
        why TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (turn_id, place, ordinal)
    ) STRICT;
    CREATE INDEX prompt_part_by_source ON prompt_part (source_id);
    CREATE INDEX prompt_part_by_conversation ON prompt_part (conversation_id);
    """,
    """
    CREATE TABLE persona (               -- those that the user made, and what they changed or deleted of the shipped ones
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        icon TEXT NOT NULL,
        prompt TEXT NOT NULL,
        temperature REAL,                -- NULL: as in Settings
        top_p REAL,                      -- NULL: as for every model
        own_memory INTEGER NOT NULL,     -- 1: its chats are remembered in a scope of its own
        starters TEXT NOT NULL,          -- a JSON array of strings
        deleted INTEGER NOT NULL         -- 1: shipped, and deleted by the user
    ) STRICT;
    ALTER TABLE conversation ADD COLUMN persona_id TEXT NOT NULL DEFAULT 'default';
    CREATE INDEX conversation_by_persona ON conversation (persona_id) WHERE persona_id <> 'default';
    """,
    """
    ALTER TABLE conversation ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE message ADD COLUMN copy_of TEXT;  -- in a duplicated conversation: the message it was copied from
    CREATE INDEX message_by_original ON message (copy_of) WHERE copy_of IS NOT NULL;
    CREATE INDEX conversation_listed ON conversation (archived, pinned DESC, updated_at DESC, id DESC)
        WHERE deleted_at IS NULL AND leaf_id IS NOT NULL;

    CREATE TABLE tag (
        conversation_id TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
        name TEXT NOT NULL,
        PRIMARY KEY (conversation_id, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE draft (                 -- what was typed and not sent yet
        conversation_id TEXT PRIMARY KEY,    -- empty: of the chat that is not begun yet
        text TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER draft_leaves AFTER DELETE ON conversation BEGIN
        DELETE FROM draft WHERE conversation_id = old.id;
    END;

    -- For searching: which messages hold which three letters in a row. Texts stay in `message`, by rowid (hence no VACUUM
    -- here, which would number the rows anew); a reply is taken in when it is finished.
    CREATE VIRTUAL TABLE gram USING fts5(text, content='message', detail=none, columnsize=0,
        tokenize='trigram remove_diacritics 1');
    INSERT INTO gram(gram, rank) VALUES ('secure-delete', 1);
    CREATE TRIGGER gram_comes AFTER INSERT ON message WHEN new.text <> '' AND new.status <> 'streaming' BEGIN
        INSERT INTO gram(rowid, text) VALUES (new.rowid, new.text);
    END;
    CREATE TRIGGER gram_leaves AFTER DELETE ON message WHEN old.text <> '' AND old.status <> 'streaming' BEGIN
        INSERT INTO gram(gram, rowid, text) VALUES ('delete', old.rowid, old.text);
    END;
    CREATE TRIGGER gram_changes AFTER UPDATE OF text, status ON message BEGIN
        INSERT INTO gram(gram, rowid, text) SELECT 'delete', old.rowid, old.text
            WHERE old.text <> '' AND old.status <> 'streaming';
        INSERT INTO gram(rowid, text) SELECT new.rowid, new.text WHERE new.text <> '' AND new.status <> 'streaming';
    END;
    INSERT INTO gram(rowid, text) SELECT rowid, text FROM message WHERE text <> '' AND status <> 'streaming';
    """,
    """
    ALTER TABLE conversation ADD COLUMN model_path TEXT NOT NULL DEFAULT '';  -- the user's choice; empty: the default model
    """,
    """
    ALTER TABLE message ADD COLUMN truncated INTEGER NOT NULL DEFAULT 0;   -- cut off at the length limit
    ALTER TABLE message ADD COLUMN bookmarked_at INTEGER;

    CREATE TABLE deleted_message (       -- what a blanked node held, while Undo is offered; erased when the offer ends or at the
        id TEXT PRIMARY KEY REFERENCES message ON DELETE CASCADE,   -- next start
        text TEXT NOT NULL,
        status TEXT NOT NULL,
        memory TEXT NOT NULL,
        error TEXT NOT NULL,
        reasoning TEXT NOT NULL,
        leaf_id TEXT                     -- where the shown path ends since then; NULL: it ended elsewhere before
    ) STRICT;
    """,
    """
    ALTER TABLE persona ADD COLUMN model_path TEXT NOT NULL DEFAULT '';  -- empty: the default model
    """,
    """
    CREATE TABLE import_queue (          -- imported messages that the user wants remembered; all go when all are done
        message_id TEXT PRIMARY KEY REFERENCES message ON DELETE CASCADE,
        facts INTEGER NOT NULL,          -- 1: and facts sought in, as candidates
        done INTEGER NOT NULL DEFAULT 0,
        paused INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX import_queue_waiting ON import_queue (message_id) WHERE done = 0 AND paused = 0;
    """,
    """
    CREATE TABLE attachment (            -- the text of a file that goes with a message; the file itself is not kept
        id TEXT PRIMARY KEY,
        content_id TEXT NOT NULL,        -- the same in every copy of it, so that an index holds what it says once
        conversation_id TEXT REFERENCES conversation ON DELETE CASCADE,  -- NULL: of the chat that is not begun yet
        message_id TEXT REFERENCES message ON DELETE CASCADE,            -- NULL: in the composer, not sent
        ordinal INTEGER NOT NULL,
        name TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('text', 'markdown', 'code', 'pdf')),
        size INTEGER NOT NULL,           -- of the file, bytes
        pages INTEGER NOT NULL,          -- 0: it has none; else a form feed stands between those of the text
        cut INTEGER NOT NULL,            -- 1: only the beginning was read
        created_at INTEGER NOT NULL,
        text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX attachment_by_conversation ON attachment (conversation_id);
    CREATE INDEX attachment_by_message ON attachment (message_id);
    CREATE INDEX attachment_by_content ON attachment (content_id);

    CREATE TABLE wider_part (            -- prompt_part, which takes quotes of attachments too
        conversation_id TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
        turn_id TEXT NOT NULL REFERENCES message ON DELETE CASCADE,
        place TEXT NOT NULL CHECK (place IN ('system', 'turn')),
        ordinal INTEGER NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('persona', 'fact', 'snippet', 'summary', 'quote')),
        source_id TEXT NOT NULL,         -- of a quote: the content's id
        text TEXT NOT NULL,
        format INTEGER NOT NULL,
        similarity REAL,
        score REAL,
        why TEXT NOT NULL DEFAULT '',
        name TEXT NOT NULL DEFAULT '',   -- of a quote: the file's
        passage INTEGER,                 -- and which passage of it; NULL: the whole
        page INTEGER NOT NULL DEFAULT 0,
        line INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (turn_id, place, ordinal)
    ) STRICT;
    INSERT INTO wider_part SELECT conversation_id, turn_id, place, ordinal, kind, source_id, text, format, similarity, score, why,
        '', NULL, 0, 0 FROM prompt_part;
    DROP TABLE prompt_part;
    ALTER TABLE wider_part RENAME TO prompt_part;
    CREATE INDEX prompt_part_by_source ON prompt_part (source_id);
    CREATE INDEX prompt_part_by_conversation ON prompt_part (conversation_id);
    CREATE TRIGGER quotes_leave AFTER DELETE ON attachment BEGIN  -- with the last copy of it in their chat
        DELETE FROM prompt_part WHERE kind = 'quote' AND source_id = old.content_id AND conversation_id = old.conversation_id
            AND NOT EXISTS (SELECT 1 FROM attachment
                WHERE content_id = old.content_id AND conversation_id = old.conversation_id);
    END;
    """,
)

"""The schema of munin_memory.db, an index that can be thrown away and rebuilt from munin.db. Append-only list."""

from munin_app.memory.word_index import fill

MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;  -- encoder, dimension: what made the vectors

    CREATE TABLE document (
        message_id TEXT PRIMARY KEY,
        conversation_id TEXT NOT NULL,
        role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
        created_at INTEGER NOT NULL,     -- Unix ms
        scope TEXT NOT NULL
    ) STRICT;
    CREATE INDEX document_by_time ON document (created_at, message_id);

    CREATE TABLE chunk (
        id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again: a late vector finds no row instead of a wrong one
        message_id TEXT NOT NULL REFERENCES document ON DELETE CASCADE,
        n INTEGER NOT NULL,
        text TEXT NOT NULL,
        words INTEGER NOT NULL,                -- how many
        question INTEGER NOT NULL,             -- 1: ends with a question mark
        speaker TEXT,                          -- who speaks, where the text begins with a name: “Anna: we moved”
        event_start INTEGER,                   -- the time that the text speaks of, Unix ms; created_at is when it was said
        event_end INTEGER,
        embedding BLOB,                        -- float32, unit length; NULL: not made yet
        UNIQUE (message_id, n)
    ) STRICT;
    CREATE INDEX chunk_to_embed ON chunk (id) WHERE embedding IS NULL;

    CREATE VIRTUAL TABLE word USING fts5(text, content='',
        tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co So'");
    INSERT INTO word(word, rank) VALUES ('secure-delete', 1);
    """,
    fill,  # stems by language; the first ones were English whatever the language
    "ALTER TABLE chunk ADD COLUMN former BLOB",  # the vector of the encoder before, until that of the new one is made for all
)

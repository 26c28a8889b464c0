"""SQLite: one connection per store on one worker thread, numbered migrations, erasing for real. And what files need."""

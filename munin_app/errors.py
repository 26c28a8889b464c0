"""The error tree. Every message says what was found, what was expected and what to do; window and terminal show it as it is.

MuninError
├── SettingsError        settings.json cannot be used
├── DataFolderError      the data folder cannot be written, or is full
│   └── DataFolderInUse  another Munin owns it
├── StorageError         a database cannot be opened or is of a newer version
├── ProfileError         profile.json cannot be written, or an edit was refused
├── ModelError           a chat model or an encoder cannot be found, loaded or run
│   ├── ModelTooLarge    it needs more memory than is free; may be loaded anyway
│   ├── EncoderError
│   └── ChatTemplateError  the file has no chat template, or one that cannot be used; names a known one that fits
├── PersonaError         a persona cannot be saved, chosen or deleted so
├── BackupError          a backup cannot be written, is damaged or newer, or cannot be restored
├── LockError            the data is locked, or a lock cannot be made or opened
│   ├── DataLocked       the data can only be opened with a passphrase
│   └── WrongPassphrase
├── ChatImportError      another app's export cannot be read; nothing was imported
├── EvaluationError      a labelled file cannot be read, or a run cannot be kept
├── MessageRefused       empty, or could never fit the context; stays in the text field
├── AttachmentRefused    a file cannot be read, is too large or holds no text
└── NotFound             no conversation, message, fact, persona or model of that id
"""


class MuninError(Exception):
    """Something the user can act on. `str(error)` is one sentence or two, without a traceback."""


class SettingsError(MuninError):
    pass


class DataFolderError(MuninError):
    pass


class DataFolderInUse(DataFolderError):
    pass


class StorageError(MuninError):
    pass


class ProfileError(MuninError):
    pass


class ModelError(MuninError):
    pass


class ModelTooLarge(ModelError):
    pass


class EncoderError(ModelError):
    pass


class ChatTemplateError(ModelError):
    def __init__(self, message: str, suggested: str) -> None:
        """`suggested`: the id of a known template that the vocabulary is made for."""
        super().__init__(message)
        self.suggested = suggested


class PersonaError(MuninError):
    pass


class BackupError(MuninError):
    pass


class LockError(MuninError):
    pass


class DataLocked(LockError):
    pass


class WrongPassphrase(LockError):
    pass


class ChatImportError(MuninError):
    pass


class EvaluationError(MuninError):
    pass


class MessageRefused(MuninError):
    pass


class AttachmentRefused(MuninError):
    pass


class NotFound(MuninError):
    pass

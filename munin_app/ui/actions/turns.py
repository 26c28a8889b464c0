"""What the events of a conversation's turns change on its page. Knows no service and no control."""

import time

from munin_app.domain.events import FactsForgotten, FactsLearned, MessageSaved, ReplyStarted, TurnFinished
from munin_app.domain.messages import Message
from munin_app.ui.actions.window import MessageWindow
from munin_app.ui.pump import Burst
from munin_app.ui.state import MessageState


class TurnMirror:
    def __init__(self, window: MessageWindow) -> None:
        self.window = window
        self.state = window.state

    def apply(self, event: object) -> None:
        """One of the conversation that is shown."""
        match event:
            case MessageSaved(message=message):
                self._saved(message)
            case ReplyStarted():
                self._started(event)
            case Burst(message_id=message_id):
                if reply := self.find(message_id):
                    reply.extend(event.reasoning, event.text, event.pieces, time.monotonic())
            case TurnFinished():
                self._finished(event)
            case FactsLearned():
                self._learned(event)
            case FactsForgotten():
                self._forgotten(event)

    def find(self, message_id: str) -> MessageState | None:
        return next((message for message in reversed(self.state.messages) if message.id == message_id), None)

    def _saved(self, message: Message) -> None:
        if message.id not in self.window.ids:
            replaced = [number for number, one in enumerate(self.state.messages) if one.parent_id == message.parent_id]
            self.window.put(message, replaced[0] if replaced else len(self.state.messages))
        self.state.busy = self.state.waiting = True

    def _started(self, event: ReplyStarted) -> None:
        self._place(event.message)
        reply = self.find(event.message.id)
        if reply:
            reply.settle(event.message)  # one that is gone on with is written again
            reply.used = event.used
        self.state.busy, self.state.waiting = True, False

    def _place(self, reply: Message) -> None:
        """After the message that it answers."""
        if reply.id in self.window.ids:
            return
        parents = [number for number, message in enumerate(self.state.messages) if message.id == reply.parent_id]
        end = parents[-1] + 1 if parents else len(self.state.messages)
        self.window.put(reply, end)

    def _finished(self, event: TurnFinished) -> None:
        self._place(event.turn.reply)
        self.window.know(event.turn.reply)
        reply = self.find(event.turn.reply.id)
        if reply:
            reply.settle(event.turn.reply)
            reply.used = event.turn.used
            reply.turn = event.turn
            reply.other_model = event.turn.model if event.turn.model != self.state.model_of.path else None
            reply.tokens_per_second = round(event.turn.usage.tokens_per_second, 1)
        usage = event.turn.usage
        if usage.context_size:
            self.state.context_used, self.state.context_size = usage.context_used, usage.context_size
        self.state.busy = self.state.waiting = False
        self.state.refused = ""  # that Munin was still answering

    def _reply_to(self, message_id: str) -> MessageState | None:
        return next((message for message in reversed(self.state.messages) if message.parent_id == message_id), None)

    def _learned(self, event: FactsLearned) -> None:
        if reply := self._reply_to(event.message_id):
            known = {learned.fact.id for learned in reply.noted}
            fresh = tuple(learned for learned in event.learned if learned.fact.id not in known)
            reply.noted = (*reply.noted, *fresh)

    def _forgotten(self, event: FactsForgotten) -> None:
        """What was noted of them under earlier replies goes too."""
        gone = {fact.id for fact in event.facts}
        for message in self.window.mirrors.values():
            if any(learned.fact.id in gone for learned in message.noted):
                message.noted = tuple(learned for learned in message.noted if learned.fact.id not in gone)
        if reply := self._reply_to(event.message_id):
            reply.forgotten = (*reply.forgotten, *event.facts)

import Logging
import NIOCore

/// The shell around ``ServerConnection``: one accepted socket, confined to its event loop.
///
/// The channel's handler brings events in; ``run()`` is the one consumer of calls and owns the handlers that carry them out.
actor Connection {
    nonisolated let peer: Peer
    nonisolated let taskExecutor: EventLoopTaskExecutor
    nonisolated private let channel: any Channel
    nonisolated private let serialExecutor: any SerialExecutor
    private let service: VarlinkService?
    private let callsPerTurn: Int
    private let logger: Logger
    private var machine: ServerConnection
    private var ready: Call?
    private var isOver = false
    private var waiting: CheckedContinuation<Call?, Never>?
    private var flushIsScheduled = false
    private var isServed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        serialExecutor.asUnownedSerialExecutor()
    }

    /// - Parameter service: What answers; nil if the peer may call nothing.
    init(
        channel: any Channel, peer: Peer, service: VarlinkService?,
        machine: consuming ServerConnection,
        callsPerTurn: Int, logger: Logger
    ) {
        self.channel = channel
        self.peer = peer
        self.service = service
        self.machine = machine
        self.callsPerTurn = callsPerTurn
        self.logger = logger
        serialExecutor = channel.eventLoop.executor
        taskExecutor = EventLoopTaskExecutor(channel.eventLoop)
    }

    /// Answers the calls until the connection ends; cancelling closes it and cancels the handler that is under way.
    func run() async {
        await withTaskCancellationHandler {
            isServed = true
            perform(machine.started())
            var count = 0
            while let call = await nextCall() {
                let outcome =
                    if let service { await service.answer(call, from: peer) } else {
                        ReplyMessage.Outcome.error(.permissionDenied)
                    }
                let (message, next) = machine.answered(outcome)
                if let message { send(message, more: next) }
                perform(next)
                count += 1
                if count.isMultiple(of: callsPerTurn) { await Task.yield() }
            }
            await closed()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Closes without regard to what is under way.
    nonisolated func abort() {
        channel.close(promise: nil)
    }

    /// Ends the input: what was received whole is still answered.
    nonisolated func stop() {
        channel.eventLoop.execute {
            self.assumeIsolated { $0.inputEnded() }
        }
    }

    func received(_ buffer: ByteBuffer) {
        buffer.withUnsafeReadableBytes { event(machine.received($0)) }
    }

    func inputEnded() {
        event(machine.inputEnded())
    }

    func writabilityChanged() {
        event(machine.writabilityChanged(to: channel.isWritable))
    }

    func disconnected() {
        event(machine.disconnected())
    }

    /// An event before ``run()`` only changes the machine's state; `run` then asks it what to do.
    private func event(_ action: ServerConnection.Action) {
        perform(action)
    }

    private func closed() async {
        await withCheckedContinuation { continuation in
            channel.closeFuture.whenComplete { _ in continuation.resume() }
        }
    }

    private func nextCall() async -> Call? {
        if let call = ready {
            ready = nil
            return call
        }
        if isOver { return nil }
        return await withCheckedContinuation { waiting = $0 }
    }

    private func perform(_ action: ServerConnection.Action) {
        switch action {
        case .wait(let read):
            if read, isServed { channel.read() }
        case .perform(let call):
            if let continuation = waiting {
                waiting = nil
                continuation.resume(returning: call)
            } else {
                ready = call
            }
        case .refuse(let message, let reason):
            logger.notice("A connection is refused and closed.", metadata: metadata(reason))
            end(sending: ByteBuffer(bytes: message))
        case .close(let reason):
            if let reason {
                logger.notice(
                    "A connection is closed without a reply.", metadata: metadata(reason))
            }
            end(sending: ByteBuffer())
        }
    }

    /// Closes when all that was written before has left; a peer that never reads is closed with the server.
    private func end(sending last: ByteBuffer) {
        isOver = true
        waiting?.resume(returning: nil)
        waiting = nil
        channel.writeAndFlush(last).whenComplete { [channel] _ in channel.close(promise: nil) }
    }

    /// Sends at once when nothing else is to be sent in this turn of the loop, else together with what follows.
    private func send(_ message: [UInt8], more next: ServerConnection.Action) {
        channel.write(ByteBuffer(bytes: message), promise: nil)
        guard case .perform = next, channel.isWritable else { return channel.flush() }
        guard !flushIsScheduled else { return }
        flushIsScheduled = true
        channel.eventLoop.execute {
            self.assumeIsolated {
                $0.flushIsScheduled = false
                $0.channel.flush()
            }
        }
    }

    private func metadata(_ reason: MessageError) -> Logger.Metadata {
        ["reason": "\(reason)", "pid": "\(peer.pid)", "uid": "\(peer.uid)"]
    }
}

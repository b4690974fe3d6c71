public import NIOCore
import Varlink

/// The shell around ``ServerConnection``: one accepted socket, confined to its event loop.
///
/// The channel's handler brings events in; ``run()`` is the one consumer of calls and owns the
/// handlers that carry them out.
actor Connection {
    nonisolated let peer: Peer
    nonisolated let account: ConnectionAccount
    nonisolated let taskExecutor: EventLoopTaskExecutor
    nonisolated private let channel: any Channel
    nonisolated private let serialExecutor: any SerialExecutor
    private let service: VarlinkService
    private let access: Access
    private let limits: ServerLimits
    private let register: ConnectionRegister
    private let refusals: RefusalLog
    private let trim: MemoryTrim
    private var machine: ServerConnection
    /// The bytes of replies that wait for the peer to read.
    private var unread = 0
    private var readerCheck: Scheduled<Void>?
    private var ready: Call?
    private var isOver = false
    private var waiting: CheckedContinuation<Call?, Never>?
    private var flushIsScheduled = false
    private var isServed = false
    /// Ends the stream of replies that is under way.
    private var streamEnd: AsyncStream<Never>.Continuation?
    /// What sends on the stream waits until the peer reads.
    private var reading: [CheckedContinuation<Void, Never>] = []
    private var isStopping = false

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        serialExecutor.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - service: What answers.
    ///   - access: What of it the peer may call.
    init(
        channel: any Channel, peer: Peer, service: VarlinkService, access: Access,
        limits: ServerLimits,
        register: ConnectionRegister, refusals: RefusalLog, trim: MemoryTrim
    ) {
        self.channel = channel
        self.peer = peer
        account = ConnectionAccount(peer)
        self.service = service
        self.access = access
        self.limits = limits
        self.register = register
        self.refusals = refusals
        self.trim = trim
        machine = ServerConnection(
            requestBytes: limits.requestBytes, tooLarge: limits.requestTooLarge)
        serialExecutor = channel.eventLoop.executor
        taskExecutor = EventLoopTaskExecutor(channel.eventLoop)
    }

    /// Answers the calls until the connection ends; cancelling closes it and cancels the handler
    /// that is under way.
    func run() async {
        await withTaskCancellationHandler {
            isServed = true
            // Not the handler's channelInactive: a channel that could not be registered never was
            // active.
            channel.closeFuture.whenComplete { _ in self.assumeIsolated { $0.disconnected() } }
            perform(machine.started())
            var count = 0
            while !Task.isCancelled, let call = await nextCall() {
                let (message, next) = machine.answered(await answer(call))
                if let message { send(message, more: next) }
                perform(next)
                count += 1
                if count.isMultiple(of: limits.callsPerTurn) { await turnEnded() }
            }
            await closed()
            readerCheck?.cancel()
            if unread > 0 { trim.schedule(on: channel.eventLoop) }
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Closes without regard to what is under way.
    nonisolated func abort() {
        channel.close(promise: nil)
    }

    /// Ends the input: what was received whole is still answered, if the peer reads it.
    nonisolated func stop() {
        channel.eventLoop.execute {
            self.assumeIsolated {
                $0.isStopping = true
                $0.inputEnded()
                $0.endStream()
                $0.checkReader(every: ServerLimits.unsentTimeAtStop)
            }
        }
    }

    func activated() {
        perform(machine.started())
    }

    func received(_ buffer: ByteBuffer) {
        account.note { $0.receivedBytes += buffer.readableBytes }
        buffer.withUnsafeReadableBytes { perform(machine.received($0)) }
    }

    func inputEnded() {
        perform(machine.inputEnded())
    }

    func writabilityChanged() {
        noteUnread()
        if channel.isWritable { resumeSenders() }
        perform(machine.writabilityChanged(to: channel.isWritable))
    }

    private func disconnected() {
        perform(machine.disconnected())
        endStream()
    }

    private func closed() async {
        await withCheckedContinuation { continuation in
            channel.closeFuture.whenComplete { _ in continuation.resume() }
        }
    }

    private func answer(_ call: Call) async -> ReplyMessage.Outcome {
        account.note { $0.calls += 1 }
        let outcome =
            call.more && service.isStreaming(call)
            ? await answerStreaming(call)
            : await service.answer(call, from: peer, access: access)
        if outcome == .error(.permissionDenied) {
            refusals.tell("A call is refused", "the user may not call \(call.method)", peer)
        }
        return outcome
    }

    // MARK: Streams

    /// Carries out a call that may have several replies, until it ends, or nobody takes them.
    private func answerStreaming(_ call: Call) async -> ReplyMessage.Outcome {
        let (ended, streamEnd) = AsyncStream.makeStream(of: Never.self)
        if isStreamOver { streamEnd.finish() }
        self.streamEnd = streamEnd
        account.note { $0.following = call.method }
        defer {
            self.streamEnd = nil
            account.note { $0.following = nil }
        }
        return await withTaskGroup(of: ReplyMessage.Outcome?.self) { tasks in
            tasks.addTask(executorPreference: taskExecutor) { [service, peer, access] in
                let stream = ReplyStream { replies throws(CancellationError) in
                    try await self.send(continuing: replies)
                }
                return await service.answer(call, from: peer, access: access, stream: stream)
            }
            tasks.addTask(executorPreference: taskExecutor) {
                for await _ in ended {}
                return nil
            }
            var outcome: ReplyMessage.Outcome?
            while let result = await tasks.next() {
                outcome = result ?? outcome
                tasks.cancelAll()
            }
            guard let outcome else { preconditionFailure("a call has no outcome") }
            return outcome
        }
    }

    /// Sends replies that others follow, and waits while the peer has too much to read.
    private func send(continuing replies: [[UInt8]]) async throws(CancellationError) {
        for reply in replies {
            guard let message = machine.continued(reply) else { throw CancellationError() }
            account.note { $0.sentBytes += message.count }
            channel.write(ByteBuffer(bytes: message), promise: nil)
        }
        flush()
        if !channel.isWritable {
            await withCheckedContinuation { continuation in
                // Looked at in here: it may have read, or gone, meanwhile.
                if channel.isWritable || isStreamOver {
                    continuation.resume()
                } else {
                    reading.append(continuation)
                }
            }
        }
        if isStreamOver || Task.isCancelled { throw CancellationError() }
    }

    /// Whether nobody takes the replies of a stream, or the server stops.
    private var isStreamOver: Bool { isStopping || isOver || !channel.isActive }

    private func endStream() {
        streamEnd?.finish()
        resumeSenders()
    }

    private func resumeSenders() {
        let senders = reading
        reading = []
        for sender in senders { sender.resume() }
    }

    // MARK: Replies

    /// Lets everything else that the event loop has to do come first, and the replies leave.
    private func turnEnded() async {
        await withCheckedContinuation { continuation in
            channel.eventLoop.execute { continuation.resume() }
        }
    }

    /// The next call, nil at the end. It is looked for again inside the continuation: any `await`
    /// may let an event come in before.
    private func nextCall() async -> Call? {
        if let call = ready.take() { return call }
        return await withCheckedContinuation { continuation in
            if let call = ready.take() {
                continuation.resume(returning: call)
            } else if isOver {
                continuation.resume(returning: nil)
            } else {
                waiting = continuation
            }
        }
    }

    private func perform(_ action: ServerConnection.Action) {
        switch action {
        case .wait(let read):
            if read { askForBytes() }
        case .perform(let call):
            if machine.wantsBytes { askForBytes() }
            if let continuation = waiting {
                waiting = nil
                continuation.resume(returning: call)
            } else {
                ready = call
            }
        case .refuse(let message, let reason):
            refusals.tell(
                "A connection is refused and closed", "\(reason)", peer)
            end(sending: ByteBuffer(bytes: message))
        case .close(let reason):
            if let reason {
                refusals.tell(
                    "A connection is closed without a reply", "\(reason)", peer)
            }
            end(sending: ByteBuffer())
        }
    }

    /// A read that is asked for before the channel is active would be lost.
    private func askForBytes() {
        if isServed, channel.isActive { channel.read() }
    }

    /// Closes when all that was written before has left, or the peer does not read it.
    private func end(sending last: ByteBuffer) {
        isOver = true
        waiting?.resume(returning: nil)
        waiting = nil
        channel.writeAndFlush(last).whenComplete { [channel] _ in channel.close(promise: nil) }
        if channel.isActive { checkReader(every: limits.unsentTime) }
    }

    /// Sends at once when nothing else is to be sent in this turn of the loop, else together with
    /// what follows.
    private func send(_ message: [UInt8], more next: ServerConnection.Action) {
        account.note { $0.sentBytes += message.count }
        channel.write(ByteBuffer(bytes: message), promise: nil)
        guard case .perform = next, channel.isWritable else { return flush() }
        guard !flushIsScheduled else { return }
        flushIsScheduled = true
        channel.eventLoop.execute {
            self.assumeIsolated {
                $0.flushIsScheduled = false
                $0.flush()
            }
        }
    }

    private func flush() {
        channel.flush()
        noteUnread()
    }

    // MARK: Peers that do not read

    /// Counts what the peer leaves unread, once it is more than a little, and sees to it that it does
    /// not stay.
    private func noteUnread() {
        let bytes = channel.isWritable ? 0 : buffered
        guard bytes != unread else { return }
        if unread == 0 { checkReader(every: limits.unsentTime) }
        trim.schedule(on: channel.eventLoop)
        unread = bytes
        for stuck in register.note(unread: bytes, of: self, limits) {
            refusals.tell(
                "A connection is closed, as its peer does not read",
                "its user leaves more than \(limits.unsentBytes) bytes of replies unread",
                stuck.peer)
            stuck.abort()
        }
    }

    /// The bytes that were written and have not left.
    private var buffered: Int {
        do {
            return try channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
        } catch {
            return 0  // The channel has closed.
        }
    }

    /// Closes the connection when its peer has read nothing for so long of what waits for it.
    private func checkReader(every time: Duration) {
        readerCheck?.cancel()
        let before = buffered
        readerCheck = channel.eventLoop.scheduleTask(in: TimeAmount(time)) {
            self.assumeIsolated { $0.checkReader(every: time, before: before) }
        }
    }

    private func checkReader(every time: Duration, before: Int) {
        let now = buffered
        if now > 0, now >= before {
            refusals.tell(
                "A connection is closed, as its peer does not read",
                "\(now) bytes of replies wait for it", peer)
            abort()
        } else if now > 0 || time == ServerLimits.unsentTimeAtStop {
            checkReader(every: time)
        }
    }
}

/// Keeps the tasks of a connection on its event loop wherever they have no executor of their own.
///
/// Above all where they go on after a wait: Swift resumes a continuation on the task's preferred
/// executor, and without one on the global pool, from where an actor of the event loop is two
/// changes of thread away.
public final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop
    private let serialExecutor: any SerialExecutor

    /// - Parameter eventLoop: where the tasks run.
    public init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        serialExecutor = eventLoop.executor
    }

    /// The job runs as one of the event loop's serial executor, which it is, so that the way on to
    /// an actor of that executor is no hop.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute {
            job.runSynchronously(
                isolatedTo: self.serialExecutor.asUnownedSerialExecutor(),
                taskExecutor: self.asUnownedTaskExecutor())
        }
    }
}

import Glibc
import NIOCore
import Varlink

/// The shell around ``ServerConnection``: one accepted socket, confined to its event loop.
///
/// The channel's handler brings events in; ``run()`` is the one consumer of calls and owns the
/// handlers that carry them out.
actor Connection {
    nonisolated let peer: Peer
    nonisolated let account: ConnectionAccount
    nonisolated let limits: ServerLimits
    nonisolated let taskExecutor: EventLoopTaskExecutor
    nonisolated private let channel: any Channel
    nonisolated private let serialExecutor: any SerialExecutor
    private let service: VarlinkService
    private let access: Access
    private let register: ConnectionRegister
    private let refusals: RefusalLog
    private let gate: TurnGate
    private let trim: MemoryTrim
    private var machine: ServerConnection
    private var turn = Turn()
    /// The bytes of replies that wait for the peer to read, once they are more than a little.
    private var unread = 0
    /// The bytes of all replies.
    private var written = 0
    private var reader = Reader()
    private var readerCheck: Scheduled<Void>?
    private var ready: Call?
    private var isOver = false
    private var waiting: CheckedContinuation<Call?, Never>?
    private var flushIsScheduled = false
    private var isServed = false
    /// How many streams of replies there were; the last one may be under way.
    private var streams = 0
    /// Ends the stream of replies that is under way.
    private var streamEnd: AsyncStream<Never>.Continuation?
    /// What sends on the stream waits until the peer reads.
    private var reading: [CheckedContinuation<Void, Never>] = []
    private var isStopping = false
    private let client: ClientPresence
    private let hasClientGone: @Sendable () -> Bool

    /// A reply of more bytes is a large one; and after a connection that took more, memory is worth
    /// giving back.
    private static let large = 1 << 16

    /// The calls that are answered in a row.
    private struct Turn {
        var calls = 0
        var began = NIODeadline.now()
        /// Whether it was waited for; else it began with what was read.
        var isGranted = false
    }

    /// How far a peer has come.
    private struct Reader {
        /// The bytes that have left.
        var bytes = 0
        /// When that was more than before.
        var progress = NIODeadline.distantPast
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        serialExecutor.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - service: What answers.
    ///   - access: What of it the peer may call.
    ///   - gate: That of the channel's event loop.
    init(
        channel: any Channel, peer: Peer, service: VarlinkService, access: Access,
        limits: ServerLimits, register: ConnectionRegister, refusals: RefusalLog, gate: TurnGate,
        trim: MemoryTrim
    ) {
        self.channel = channel
        self.peer = peer
        account = ConnectionAccount(peer)
        self.service = service
        self.access = access
        self.limits = limits
        self.register = register
        self.refusals = refusals
        self.gate = gate
        self.trim = trim
        machine = ServerConnection(
            requestBytes: limits.requestBytes, callsLeftBehind: limits.callsPerTurn,
            tooLarge: limits.requestTooLarge)
        let client = ClientPresence(on: channel)
        self.client = client
        hasClientGone = { client.hasGone }
        serialExecutor = channel.eventLoop.executor
        taskExecutor = EventLoopTaskExecutor(channel.eventLoop)
    }

    /// Answers the calls until the connection ends; cancelling closes it and cancels the handler
    /// that is under way.
    func run() async {
        await withTaskCancellationHandler {
            isServed = true
            client.begin()
            // Not the handler's channelInactive: a channel that could not be registered never was
            // active.
            channel.closeFuture.whenComplete { _ in self.assumeIsolated { $0.disconnected() } }
            perform(machine.started())
            while !Task.isCancelled, let call = await nextCall() {
                await waitForRoom(call)
                let outcome = await answer(call)
                if case .parameters(let reply) = outcome, reply.count > Self.large {
                    register.noteLargeReplies(of: call.method)
                }
                let (message, next) = machine.answered(outcome)
                if let message { send(message, more: next) }
                perform(next)
                turn.calls += 1
                if ready != nil, isTurnOver {
                    await gate.pass()
                    turn = Turn(isGranted: true)
                }
            }
            await closed()
            readerCheck?.cancel()
            if account.report.receivedBytes + written > Self.large { trimMemory() }
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Closes without regard to what is under way.
    nonisolated func abort() {
        channel.close(promise: nil)
    }

    /// Ends the input: what was sent whole is still answered, if the peer reads it.
    nonisolated func stop() {
        channel.eventLoop.execute {
            self.assumeIsolated {
                $0.isStopping = true
                $0.endInput()
                $0.endStream()
                $0.watchReader()
            }
        }
    }

    /// How many bytes were received and not carried out.
    var heldBytes: Int { machine.heldBytes }

    /// Lets the peer send no more: its next call fails at once, and it knows that it was not read. What it
    /// sent before is read up to there, and then the input has ended.
    private func endInput() {
        do {
            let result = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { shutdown($0, CInt(SHUT_RD)) }
            if result != 0 { inputEnded() }
        } catch {
            inputEnded()  // The channel has closed.
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
        // It was decoded before, and nobody takes the reply.
        if !call.oneway, service.isLooking(call) ? !channel.isActive : client.hasGone {
            return .parameters([])
        }
        account.note { $0.calls += 1 }
        let outcome =
            call.more && service.isStreaming(call)
            ? await answerStreaming(call)
            : await service.answer(
                call, from: peer, access: access, roomForReply: { await self.waitForRoom(call) },
                hasCallerGone: hasClientGone)
        if outcome == .error(.permissionDenied) {
            refusals.tell(.notPermitted, "the user may not call \(call.method)", peer)
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
        streams += 1
        defer {
            self.streamEnd = nil
            account.note { ($0.following, $0.followed) = (nil, nil) }
        }
        return await withTaskGroup(of: ReplyMessage.Outcome?.self) { tasks in
            tasks.addTask(executorPreference: taskExecutor) {
                [service, peer, access, account, streams] in
                let stream = ReplyStream(noteFollowed: { followed in
                    account.note { $0.followed = followed }
                }) { replies throws(CancellationError) in
                    try await self.send(continuing: replies, of: streams)
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
    ///
    /// - Parameter stream: the number of their stream, which may be over: a function can keep what it
    ///   sends by.
    private func send(
        continuing replies: [[UInt8]], of stream: Int
    ) async throws(CancellationError) {
        for reply in replies {
            guard stream == streams, streamEnd != nil, let message = machine.continued(reply) else {
                throw CancellationError()
            }
            write(message)
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

    /// Whether others get their turn before the next call. One that began with what was read has a
    /// single call while others wait for theirs, so that reading again and again is no way around.
    private var isTurnOver: Bool {
        turn.calls >= limits.callsPerTurn
            || NIODeadline.now() - turn.began >= TimeAmount(limits.turnTime)
            || !turn.isGranted && gate.isBusy
    }

    /// The next call, nil at the end. It is looked for again inside the continuation: any `await`
    /// may let an event come in before.
    private func nextCall() async -> Call? {
        if let call = ready.take() { return call }
        defer { turn = Turn() }
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
            refusals.tell(.requestTooLarge, "\(reason)", peer)
            end(sending: message)
        case .close(let reason):
            if let reason { refusals.tell(Refusal(reason), "\(reason)", peer) }
            if machine.droppedCalls > 0 {
                refusals.tell(
                    .leftBehind,
                    "\(machine.droppedCalls) calls, beyond the limit of \(limits.callsPerTurn)",
                    peer)
            }
            end(sending: [])
        }
    }

    /// A read that is asked for before the channel is active would be lost.
    private func askForBytes() {
        if isServed, channel.isActive { channel.read() }
    }

    /// Closes when all that was written before has left, or the peer does not read it.
    private func end(sending last: [UInt8]) {
        isOver = true
        waiting?.resume(returning: nil)
        waiting = nil
        written += last.count
        channel.writeAndFlush(ByteBuffer(bytes: last)).whenComplete { [channel] _ in
            channel.close(promise: nil)
        }
        watchReader()
    }

    /// Sends at once when nothing else is to be sent in this turn of the loop, else together with
    /// what follows.
    private func send(_ message: [UInt8], more next: ServerConnection.Action) {
        write(message)
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

    private func write(_ message: [UInt8]) {
        account.note { $0.sentBytes += message.count }
        written += message.count
        channel.write(ByteBuffer(bytes: message), promise: nil)
    }

    private func flush() {
        channel.flush()
        noteUnread()
    }

    // MARK: Peers that do not read

    /// Returns when there may be another reply: before a call, and again before its reply is made, since
    /// those of many calls that were begun at once would together be too much.
    private func waitForRoom(_ call: Call) async {
        if register.isAnyUnread { await register.waitForRoom(self, call.method) }
    }

    /// Counts what the peer leaves unread, once it is more than a little, and sees to it that it does
    /// not stay.
    private func noteUnread() {
        let bytes = channel.isWritable ? 0 : buffered
        guard bytes != unread else { return }
        trimMemory()
        unread = bytes
        if readerCheck == nil { watchReader() }
        noteUnread(hasRead: hasRead())
    }

    private func noteUnread(hasRead: Bool) {
        for stuck in register.note(unread: unread, of: self, hasRead: hasRead) {
            refusals.tell(
                .unread,
                "more than \(limits.unsentBytes) bytes of replies wait for its user",
                stuck.peer)
            stuck.abort()
        }
    }

    private func trimMemory() {
        if limits.trimsMemory { trim.schedule(on: channel.eventLoop) }
    }

    /// The bytes that were written and have not left.
    private var buffered: Int {
        do {
            return try channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
        } catch {
            return 0  // The channel has closed.
        }
    }

    /// How long the peer may read nothing of what waits for it.
    private var patience: Duration {
        isStopping ? min(limits.unsentTime, limits.unsentTimeAtStop) : limits.unsentTime
    }

    /// Looks from now on, and as long as something waits for the peer that it has to read, whether it
    /// does.
    private func watchReader() {
        readerCheck?.cancel()
        readerCheck = nil
        guard buffered > 0 else { return }
        reader = Reader(bytes: written - buffered, progress: .now())
        scheduleReaderCheck()
    }

    private func scheduleReaderCheck() {
        let time = TimeAmount(min(limits.unsentInterval, patience))
        readerCheck = channel.eventLoop.scheduleTask(in: time) {
            self.assumeIsolated { $0.checkReader() }
        }
    }

    private func checkReader() {
        readerCheck = nil
        let waiting = buffered
        guard waiting > 0, unread > 0 || isOver || isStopping else { return }
        let hasRead = hasRead()
        guard hasRead || NIODeadline.now() - reader.progress < TimeAmount(patience) else {
            refusals.tell(.unread, "\(waiting) bytes of replies wait for it", peer)
            return abort()
        }
        if unread > 0 {
            unread = waiting
            noteUnread(hasRead: hasRead)
        }
        scheduleReaderCheck()
    }

    /// Whether the peer has read something since this was asked before.
    private func hasRead() -> Bool {
        let bytes = written - buffered
        guard bytes > reader.bytes else { return false }
        reader = Reader(bytes: bytes, progress: .now())
        return true
    }
}

extension Refusal {
    fileprivate init(_ error: MessageError) {
        if case .tooLarge = error { self = .requestTooLarge } else { self = .malformed }
    }
}

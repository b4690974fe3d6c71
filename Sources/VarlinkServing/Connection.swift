import Glibc
import NIOCore
import Varlink

/// Accepted connection, confined to its event loop. It performs the input and output for a ``ServerConnection``.
///
/// The channel's handler reports events. ``run()`` is the only consumer of calls, and runs the functions that implement
/// them.
actor Connection {
    nonisolated let peer: Peer
    nonisolated let statistics: ConnectionStatistics
    nonisolated let limits: ServerLimits
    nonisolated let taskExecutor: EventLoopTaskExecutor
    nonisolated private let channel: any Channel
    nonisolated private let serialExecutor: any SerialExecutor
    private let service: VarlinkService
    private let access: Access
    private let registry: ConnectionRegistry
    private let refusalLog: RefusalLog
    private let yielder: EventLoopYielder
    private let memoryTrimmer: MemoryTrimmer
    private var stateMachine: ServerConnection
    private var timeSlice = TimeSlice()
    /// Number of reply bytes that the peer has not read, or 0 while the channel is writable.
    private var unreadByteCount = 0
    /// Total number of reply bytes that have been written.
    private var writtenByteCount = 0
    private var readProgress = ReadProgress()
    private var scheduledReadCheck: Scheduled<Void>?
    /// Decoded calls that ``run()`` has not accepted yet.
    private var readyCalls: [Call]?
    private var batch = Batch()
    /// Whether the connection runs no further calls and closes after all written bytes have been sent.
    private var isClosing = false
    /// Continuation of ``run()`` while it waits for calls.
    private var callContinuation: CheckedContinuation<[Call]?, Never>?
    /// Scheduled flush of written replies. The flush is delayed so that they can be sent together with later replies.
    private var scheduledFlush: Scheduled<Void>?
    /// Whether ``run()`` has started.
    private(set) var hasStartedServing = false
    /// Number of streams of replies that have started, including any running stream.
    private var streamCount = 0
    /// Continuation that ends the running stream of replies, or `nil` if no stream is running.
    private var streamEndContinuation: AsyncStream<Never>.Continuation?
    /// Continuations of senders that are waiting for the peer to read.
    private var blockedSenders: [CheckedContinuation<Void, Never>] = []
    /// Whether the server is stopping.
    private var isStopping = false
    private let disconnectionCheck: ClientDisconnectionCheck
    private let hasClientDisconnected: @Sendable () -> Bool

    /// Size in bytes above which a reply counts as large.
    ///
    /// If a connection has transferred more bytes than this in total, the server may return free memory to the system
    /// after the connection has closed; see ``ServerLimits/trimsMemory``.
    private static let largeReplyBytes = 1 << 16

    /// Maximum delay before a finished reply is sent. The delay allows the next reply to be sent together with it.
    private static let flushDelay = TimeAmount.microseconds(100)

    /// Turn of this connection on its event loop. After the turn, the calls of other connections run.
    private struct TimeSlice {
        var callCount = 0
        var startTime = NIODeadline.now()
        /// Whether the yielder granted this turn after a wait. Otherwise, received bytes started the turn.
        var isGrantedByYielder = false
    }

    /// Calls that run together. Their replies are written in the order of the calls.
    private struct Batch {
        /// Outcomes of calls whose replies have not been written yet, because an earlier call in the batch has not
        /// finished.
        var outcomes: [ReplyMessage.Outcome?] = []
        /// Total size of the outcomes whose replies have not been written yet, in bytes.
        var outcomeByteCount = 0
        /// Number of calls whose replies have been written.
        var writtenReplyCount = 0
        /// Continuations of calls that are waiting until all earlier replies have been written, keyed by the call's
        /// index.
        var waitingContinuations: [Int: CheckedContinuation<Void, Never>] = [:]
        /// Action to perform after the last reply.
        var nextAction = ServerConnection.Action.wait(read: false)

        init(count: Int = 0) { outcomes = Array(repeating: nil, count: count) }
    }

    /// Progress of the peer in reading replies.
    private struct ReadProgress {
        /// Number of bytes that have been sent.
        var sentByteCount = 0
        /// Time at which `sentByteCount` last increased.
        var lastReadTime = NIODeadline.distantPast
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        serialExecutor.asUnownedSerialExecutor()
    }

    /// Creates a connection.
    ///
    /// - Parameters:
    ///   - service: Service that handles the calls.
    ///   - access: Access rights of the peer.
    ///   - yielder: Yielder for the channel's event loop.
    init(
        channel: any Channel, peer: Peer, service: VarlinkService, access: Access,
        limits: ServerLimits, registry: ConnectionRegistry, refusalLog: RefusalLog,
        yielder: EventLoopYielder,
        memoryTrimmer: MemoryTrimmer
    ) {
        self.channel = channel
        self.peer = peer
        statistics = ConnectionStatistics(peer)
        self.service = service
        self.access = access
        self.limits = limits
        self.registry = registry
        self.refusalLog = refusalLog
        self.yielder = yielder
        self.memoryTrimmer = memoryTrimmer
        stateMachine = ServerConnection(
            maximumRequestBytes: limits.maximumRequestBytes,
            remainingCallsAfterDisconnect: limits.maximumCallsPerTimeSlice,
            maximumConcurrentCalls: min(
                ServerConnection.maximumConcurrentCalls, limits.maximumCallsPerTimeSlice),
            queue: { service.queue(of: $0) }, makeTooLargeError: limits.makeRequestTooLargeError)
        let disconnectionCheck = ClientDisconnectionCheck(on: channel)
        self.disconnectionCheck = disconnectionCheck
        hasClientDisconnected = { disconnectionCheck.hasDisconnected }
        serialExecutor = channel.eventLoop.executor
        taskExecutor = EventLoopTaskExecutor(channel.eventLoop)
    }

    /// Handles calls until the connection closes. Cancelling the task closes the connection and cancels the running
    /// function.
    func run() async {
        await withTaskCancellationHandler {
            hasStartedServing = true
            disconnectionCheck.storeDescriptor()
            // The handler's channelInactive is not sufficient: a channel that could not be registered was never
            // active.
            channel.closeFuture.whenComplete { _ in self.assumeIsolated { $0.handleDisconnection() }
            }
            perform(stateMachine.handleStart())
            while !Task.isCancelled, let calls = await nextCalls() {
                await waitForReplyCapacity(calls[0])
                // A call that changes something may block the event loop and so delay the scheduled flush.
                if scheduledFlush != nil, !service.isReadOnly(calls[0]) { flush() }
                perform(await answer(calls))
                timeSlice.callCount += calls.count
                if readyCalls != nil, isTimeSliceOver {
                    if scheduledFlush != nil { flush() }
                    await yielder.yield()
                    timeSlice = TimeSlice(isGrantedByYielder: true)
                }
            }
            await waitUntilClosed()
            scheduledReadCheck?.cancel()
            if statistics.report.receivedByteCount + writtenByteCount > Self.largeReplyBytes {
                trimMemory()
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Closes the connection immediately, even if a call is running.
    nonisolated func abort() {
        channel.close(promise: nil)
    }

    /// Ends the input. Calls that have been received completely still run, as long as the peer reads the replies.
    nonisolated func stop() {
        channel.eventLoop.execute {
            self.assumeIsolated {
                $0.isStopping = true
                $0.endInput()
                $0.endStream()
                $0.startReadChecks()
            }
        }
    }

    /// Number of bytes in received calls that have not run yet.
    var pendingByteCount: Int { stateMachine.pendingByteCount }

    /// Stops the peer from sending. Bytes that the peer has already sent are still read, then the input ends. The next
    /// call that the peer sends fails immediately, so that the peer knows that the call was not read.
    private func endInput() {
        do {
            let result = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { shutdown($0, CInt(SHUT_RD)) }
            if result != 0 { handleInputEnd() }
        } catch {
            handleInputEnd()  // The channel has closed.
        }
    }

    func handleActivation() {
        perform(stateMachine.handleStart())
    }

    func handleReceivedBytes(_ buffer: ByteBuffer) {
        statistics.update { $0.receivedByteCount += buffer.readableBytes }
        buffer.withUnsafeReadableBytes { perform(stateMachine.handleReceivedBytes($0)) }
    }

    func handleInputEnd() {
        perform(stateMachine.handleInputEnd())
    }

    func handleWritabilityChange() {
        updateBackpressure()
        if channel.isWritable { resumeSenders() }
        perform(stateMachine.handleWritabilityChange(to: channel.isWritable))
    }

    private func handleDisconnection() {
        perform(stateMachine.handleDisconnection())
        endStream()
    }

    private func waitUntilClosed() async {
        await withCheckedContinuation { continuation in
            channel.closeFuture.whenComplete { _ in continuation.resume() }
        }
    }

    /// Runs calls together, and writes their replies in the order of the calls.
    ///
    /// - Returns: The next action of the state machine.
    private func answer(_ calls: [Call]) async -> ServerConnection.Action {
        if calls.count == 1 {
            let (message, nextAction) = stateMachine.handleOutcome(await answer(calls[0], at: 0))
            if let message { send(message, isLast: !nextAction.performsCalls) }
            return nextAction
        }
        batch = Batch(count: calls.count)
        await withDiscardingTaskGroup { tasks in
            // The event loop starts the tasks in the order of the calls. A method with a queue must add its work to the
            // queue before it first suspends.
            for (index, call) in calls.enumerated() {
                tasks.addTask(executorPreference: taskExecutor) {
                    await self.finishCall(index, self.answer(call, at: index))
                }
            }
        }
        return batch.nextAction
    }

    /// Writes the reply to a call in the batch, followed by any later replies that were waiting for it.
    private func finishCall(_ index: Int, _ outcome: ReplyMessage.Outcome) {
        batch.outcomes[index] = outcome
        batch.outcomeByteCount += outcome.parameterByteCount
        while batch.writtenReplyCount < batch.outcomes.count,
            let outcome = batch.outcomes[batch.writtenReplyCount]
        {
            batch.outcomes[batch.writtenReplyCount] = nil
            batch.outcomeByteCount -= outcome.parameterByteCount
            batch.writtenReplyCount += 1
            let (message, nextAction) = stateMachine.handleOutcome(outcome)
            batch.nextAction = nextAction
            if let message {
                let isLast =
                    batch.writtenReplyCount == batch.outcomes.count && !nextAction.performsCalls
                send(message, isLast: isLast)
            }
        }
        batch.waitingContinuations.removeValue(forKey: batch.writtenReplyCount)?.resume()
    }

    /// Waits until the reply to a call in the batch may be created.
    ///
    /// While replies are unread, or while the outcomes of finished calls are large in total, replies are created one at
    /// a time, in the order of the calls. At most one call on a connection therefore waits for the peer to read.
    private func waitForReplyCapacity(_ call: Call, at index: Int) async {
        while index > batch.writtenReplyCount,
            batch.outcomeByteCount > Self.largeReplyBytes || registry.hasUnreadReplies
                || !channel.isWritable
        {
            await withCheckedContinuation { batch.waitingContinuations[index] = $0 }
        }
        await waitForPeer()
        await waitForReplyCapacity(call)
    }

    private func answer(_ call: Call, at index: Int) async -> ReplyMessage.Outcome {
        // If the client has disconnected since the call was decoded, it would not receive the reply.
        if !call.oneway,
            service.isReadOnly(call) ? !channel.isActive : disconnectionCheck.hasDisconnected
        {
            return .parameters([])
        }
        statistics.update { $0.callCount += 1 }
        let outcome =
            call.more && service.isStreaming(call)
            ? await handleStreamingCall(call)
            : await service.answer(
                call, from: peer, access: access,
                waitForReplyCapacity: { await self.waitForReplyCapacity(call, at: index) },
                hasCallerDisconnected: hasClientDisconnected)
        if outcome == .error(.permissionDenied) {
            refusalLog.log(.notPermitted, "the user may not call \(call.method)", peer)
        }
        if case .parameters(let reply) = outcome, reply.count > Self.largeReplyBytes {
            registry.recordLargeReplies(of: call.method)
        }
        return outcome
    }

    // MARK: Streams

    /// Runs a call that may reply several times, until the call finishes or the client can no longer receive replies.
    private func handleStreamingCall(_ call: Call) async -> ReplyMessage.Outcome {
        let (streamEndEvents, streamEndContinuation) = AsyncStream.makeStream(of: Never.self)
        if hasStreamEnded { streamEndContinuation.finish() }
        self.streamEndContinuation = streamEndContinuation
        statistics.update { $0.streamingMethod = call.method }
        streamCount += 1
        defer {
            self.streamEndContinuation = nil
            statistics.update { ($0.streamingMethod, $0.followedObject) = (nil, nil) }
        }
        return await withTaskGroup(of: ReplyMessage.Outcome?.self) { tasks in
            tasks.addTask(executorPreference: taskExecutor) {
                [service, peer, access, statistics, streamCount] in
                let stream = ReplyStream(onFollowedObjectChange: { followedObject in
                    statistics.update { $0.followedObject = followedObject }
                }) { replies throws(CancellationError) in
                    try await self.sendIntermediateReplies(replies, streamNumber: streamCount)
                }
                return await service.answer(call, from: peer, access: access, stream: stream)
            }
            tasks.addTask(executorPreference: taskExecutor) {
                for await _ in streamEndEvents {}
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

    /// Sends intermediate replies, and waits while the peer has too many unread replies.
    ///
    /// - Parameter streamNumber: Number of the stream to which the replies belong. This stream may already have ended,
    ///   because a function can retain its stream.
    private func sendIntermediateReplies(
        _ replies: [[UInt8]], streamNumber: Int
    ) async throws(CancellationError) {
        for reply in replies {
            guard streamNumber == streamCount, streamEndContinuation != nil,
                let message = stateMachine.encodeIntermediateReply(reply)
            else {
                throw CancellationError()
            }
            write(message)
        }
        flush()
        await waitForPeer()
        if hasStreamEnded || Task.isCancelled { throw CancellationError() }
    }

    /// Waits until the peer has read enough replies, or can no longer receive replies.
    private func waitForPeer() async {
        if channel.isWritable { return }
        await withCheckedContinuation { continuation in
            // The peer may have read replies or disconnected since the previous check.
            if channel.isWritable || hasStreamEnded {
                continuation.resume()
            } else {
                blockedSenders.append(continuation)
            }
        }
    }

    /// Whether the client can no longer receive replies on the stream, or the server is stopping.
    private var hasStreamEnded: Bool { isStopping || isClosing || !channel.isActive }

    private func endStream() {
        streamEndContinuation?.finish()
        resumeSenders()
    }

    private func resumeSenders() {
        let continuations = blockedSenders
        blockedSenders = []
        for continuation in continuations { continuation.resume() }
    }

    // MARK: Replies

    /// Whether other connections get their turn before the next call.
    ///
    /// While other connections wait, a turn that was started by received bytes has only one call. A peer therefore
    /// cannot bypass the yielder by sending calls repeatedly.
    private var isTimeSliceOver: Bool {
        timeSlice.callCount >= limits.maximumCallsPerTimeSlice
            || NIODeadline.now() - timeSlice.startTime
                >= TimeAmount(limits.maximumTimeSliceDuration)
            || !timeSlice.isGrantedByYielder && yielder.hasWaiters
    }

    /// Returns the next calls to run together, or `nil` if the connection is closing.
    ///
    /// The method checks for calls a second time inside the continuation, because an event may arrive during any
    /// `await`.
    private func nextCalls() async -> [Call]? {
        if let calls = readyCalls.take() { return calls }
        defer { timeSlice = TimeSlice() }
        return await withCheckedContinuation { continuation in
            if let calls = readyCalls.take() {
                continuation.resume(returning: calls)
            } else if isClosing {
                continuation.resume(returning: nil)
            } else {
                callContinuation = continuation
            }
        }
    }

    private func perform(_ action: ServerConnection.Action) {
        switch action {
        case .wait(let read):
            if read { requestRead() }
        case .perform(let calls):
            if stateMachine.wantsBytes { requestRead() }
            if let continuation = callContinuation.take() {
                continuation.resume(returning: calls)
            } else {
                readyCalls = calls
            }
        case .refuse(let message, let reason):
            refusalLog.log(.requestTooLarge, "\(reason)", peer)
            closeGracefully(sending: message)
        case .close(let reason):
            if let reason { refusalLog.log(Refusal(reason), "\(reason)", peer) }
            if stateMachine.droppedCallCount > 0 {
                refusalLog.log(
                    .abandonedCalls,
                    "\(stateMachine.droppedCallCount) calls, beyond the limit of \(limits.maximumCallsPerTimeSlice)",
                    peer)
            }
            closeGracefully(sending: [])
        }
    }

    /// Reads bytes if the channel is active. A read request to an inactive channel would be lost.
    private func requestRead() {
        if hasStartedServing, channel.isActive { channel.read() }
    }

    /// Closes the connection after all written bytes have been sent. If the peer does not read them, the connection
    /// closes after a timeout.
    private func closeGracefully(sending lastMessage: [UInt8]) {
        isClosing = true
        callContinuation.take()?.resume(returning: nil)
        writtenByteCount += lastMessage.count
        channel.writeAndFlush(ByteBuffer(bytes: lastMessage)).whenComplete { [channel] _ in
            channel.close(promise: nil)
        }
        startReadChecks()
    }

    /// Sends a message immediately if no other reply follows or if the channel is not writable. Otherwise, sends the
    /// message together with the next replies, but waits for them no longer than ``flushDelay``.
    private func send(_ message: [UInt8], isLast: Bool) {
        write(message)
        if isLast || !channel.isWritable { return flush() }
        guard scheduledFlush == nil else { return }
        scheduledFlush = channel.eventLoop.scheduleTask(in: Self.flushDelay) {
            self.assumeIsolated { $0.flush() }
        }
    }

    private func write(_ message: [UInt8]) {
        statistics.update { $0.sentByteCount += message.count }
        writtenByteCount += message.count
        channel.write(ByteBuffer(bytes: message), promise: nil)
    }

    private func flush() {
        scheduledFlush.take()?.cancel()
        channel.flush()
        updateBackpressure()
    }

    // MARK: Peers that do not read

    /// Waits until another reply may be created.
    ///
    /// A call waits before it runs, and a second time before its reply is encoded, because the replies to many calls
    /// that start at the same time could be too large in total.
    private func waitForReplyCapacity(_ call: Call) async {
        if registry.hasUnreadReplies { await registry.waitForReplyCapacity(self, call.method) }
    }

    /// Updates the number of unread bytes, and starts checking whether the peer reads them.
    private func updateBackpressure() {
        let currentByteCount = channel.isWritable ? 0 : bufferedByteCount
        guard currentByteCount != unreadByteCount else { return }
        trimMemory()
        unreadByteCount = currentByteCount
        if scheduledReadCheck == nil { startReadChecks() }
        updateBackpressure(hasPeerRead: updateReadProgress())
    }

    private func updateBackpressure(hasPeerRead: Bool) {
        for stuckConnection in registry.update(
            unreadByteCount: unreadByteCount, of: self, hasPeerRead: hasPeerRead)
        {
            refusalLog.log(
                .unread,
                "more than \(limits.maximumUnreadBytesPerUser) bytes of replies to this user are unread",
                stuckConnection.peer)
            stuckConnection.abort()
        }
    }

    private func trimMemory() {
        if limits.trimsMemory { memoryTrimmer.scheduleTrim(on: channel.eventLoop) }
    }

    /// Number of bytes that have been written but not sent yet.
    private var bufferedByteCount: Int {
        do {
            return try channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
        } catch {
            return 0  // The channel has closed.
        }
    }

    /// Time after which the connection closes if the peer reads nothing.
    private var unreadTimeout: Duration {
        isStopping
            ? min(limits.unreadReplyTimeout, limits.unreadReplyTimeoutAtStop)
            : limits.unreadReplyTimeout
    }

    /// If any bytes are unsent, starts checking periodically whether the peer reads them.
    private func startReadChecks() {
        scheduledReadCheck?.cancel()
        scheduledReadCheck = nil
        guard bufferedByteCount > 0 else { return }
        readProgress = ReadProgress(
            sentByteCount: writtenByteCount - bufferedByteCount, lastReadTime: .now())
        scheduleReadCheck()
    }

    private func scheduleReadCheck() {
        let checkDelay = TimeAmount(min(limits.readCheckInterval, unreadTimeout))
        scheduledReadCheck = channel.eventLoop.scheduleTask(in: checkDelay) {
            self.assumeIsolated { $0.checkReadProgress() }
        }
    }

    private func checkReadProgress() {
        scheduledReadCheck = nil
        let unsentByteCount = bufferedByteCount
        guard unsentByteCount > 0, unreadByteCount > 0 || isClosing || isStopping else { return }
        let hasPeerRead = updateReadProgress()
        guard
            hasPeerRead || NIODeadline.now() - readProgress.lastReadTime < TimeAmount(unreadTimeout)
        else {
            refusalLog.log(.unread, "\(unsentByteCount) bytes of replies are unread", peer)
            return abort()
        }
        if unreadByteCount > 0 {
            unreadByteCount = unsentByteCount
            updateBackpressure(hasPeerRead: hasPeerRead)
        }
        scheduleReadCheck()
    }

    /// Updates the progress of the peer, and returns whether the peer has read bytes since the previous update.
    private func updateReadProgress() -> Bool {
        let sentByteCount = writtenByteCount - bufferedByteCount
        guard sentByteCount > readProgress.sentByteCount else { return false }
        readProgress = ReadProgress(sentByteCount: sentByteCount, lastReadTime: .now())
        return true
    }
}

extension Refusal {
    fileprivate init(_ error: MessageError) {
        if case .tooLarge = error { self = .requestTooLarge } else { self = .malformed }
    }
}

extension ServerConnection.Action {
    /// Whether this action performs calls.
    fileprivate var performsCalls: Bool {
        if case .perform = self { true } else { false }
    }
}

extension ReplyMessage.Outcome {
    /// Size of the parameters, in bytes.
    fileprivate var parameterByteCount: Int {
        switch self {
        case .parameters(let parameters): parameters.count
        case .error(let error): error.parameters.count
        }
    }
}

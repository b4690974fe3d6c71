/// State machine for the server side of one connection. It consumes bytes and events, and produces actions.
///
/// Calls run one after another, except that calls in the same queue run together if they arrived together. Replies are
/// always sent in the order of the calls. Calls that must wait stay in the buffer and are not decoded. While a complete
/// call is waiting, or the peer does not read its replies, the connection reads no further bytes. A connection
/// therefore buffers at most one message of the maximum size, plus the bytes that arrive with a single read or at the
/// end of the input.
///
/// A call that has been received completely runs even after the input has ended. After the peer has disconnected, only
/// `oneway` calls run, because replies can no longer be delivered. The number of calls that are decoded after a
/// disconnection is limited, so that a client cannot leave an unlimited amount of work behind.
package struct ServerConnection: ~Copyable {
    /// Action that the owner of the state machine must perform next.
    package enum Action: Sendable, Equatable {
        /// Wait for the next event, and also read more bytes if `read` is `true`.
        case wait(read: Bool)
        /// Start these calls in this order, and run them together. Report their outcomes in the same order to
        /// ``ServerConnection/handleOutcome(_:)``.
        case perform([Call])
        /// Send this error reply to a message that was not accepted as a call, then close the connection.
        case refuse([UInt8], MessageError)
        /// Close the connection after all messages have been sent. The error is the reason, or `nil` for a normal
        /// close.
        case close(MessageError?)
    }

    private enum Progress {
        case idle
        case performing([Call])
        case finished
    }

    /// Default maximum number of calls that run concurrently.
    package static let maximumConcurrentCalls = 16

    private var frames: MessageFrames
    /// Call that has been decoded but cannot run concurrently with the running calls.
    private var pendingCall: Call?
    /// Error in the message that follows the running calls.
    private var pendingError: MessageError?
    private let maximumConcurrentCalls: Int
    private let queueOfCall: @Sendable (Call) -> CallQueueIdentity?
    /// Whether more bytes may arrive. After the input has ended, calls that have been received completely still run.
    private var isInputOpen = true
    private var progress = Progress.idle
    private var isWritable = true
    private var isConnected = true
    private let makeTooLargeError: (@Sendable () -> VarlinkError?)?
    /// Number of calls that may still be decoded after the peer has disconnected.
    private var remainingCallsAfterDisconnect: Int
    /// Number of complete calls that were dropped without being decoded, because ``remainingCallsAfterDisconnect`` had
    /// reached 0.
    package private(set) var droppedCallCount = 0

    /// Creates a state machine for a new connection, on which no bytes have arrived.
    /// - Parameters:
    ///   - maximumRequestBytes: Maximum size of a call, in bytes.
    ///   - remainingCallsAfterDisconnect: Maximum number of waiting calls that may still be decoded after the peer has
    ///     disconnected.
    ///   - maximumConcurrentCalls: Maximum number of calls that run together.
    ///   - queue: Closure that returns the queue of a call, or `nil` if the call starts after the replies to all
    ///     earlier calls. Calls in the same queue run together.
    ///   - makeTooLargeError: Closure that returns the error to send in reply to a call that exceeds the maximum size,
    ///     before the connection closes. If this closure is `nil` or returns `nil`, the connection closes without a
    ///     reply.
    package init(
        maximumRequestBytes: Int, remainingCallsAfterDisconnect: Int = 64,
        maximumConcurrentCalls: Int = ServerConnection.maximumConcurrentCalls,
        queue: @escaping @Sendable (Call) -> CallQueueIdentity? = { _ in nil },
        makeTooLargeError: (@Sendable () -> VarlinkError?)? = nil
    ) {
        frames = MessageFrames(limit: maximumRequestBytes)
        self.remainingCallsAfterDisconnect = remainingCallsAfterDisconnect
        self.maximumConcurrentCalls = maximumConcurrentCalls
        self.queueOfCall = queue
        self.makeTooLargeError = makeTooLargeError
    }

    /// Number of buffered bytes, including the parameters of calls that run together with an earlier call.
    package var pendingByteCount: Int {
        var waitingCalls = pendingCall.map { [$0] } ?? []
        if case .performing(let calls) = progress { waitingCalls += calls.dropFirst() }
        return waitingCalls.reduce(frames.byteCount) { $0 + $1.parameters.count }
    }

    /// Handles the activation of the channel or the start of serving. Call this method for both events, because bytes
    /// can be read only after both have occurred.
    package mutating func handleStart() -> Action { determineNextAction() }

    /// Handles received bytes, or drops them if the input has already ended.
    package mutating func handleReceivedBytes(_ bytes: UnsafeRawBufferPointer) -> Action {
        if isInputOpen { frames.append(bytes) }
        return determineNextAction()
    }

    /// Handles the end of the input. Calls that have been received completely still run, then the connection closes.
    package mutating func handleInputEnd() -> Action {
        isInputOpen = false
        return determineNextAction()
    }

    /// Handles a change of writability. The connection is not writable while the peer has too many unread replies.
    package mutating func handleWritabilityChange(to isWritable: Bool) -> Action {
        self.isWritable = isWritable
        return determineNextAction()
    }

    /// Handles the loss of the connection.
    ///
    /// Later replies are discarded, and waiting calls that expect a reply are dropped. After
    /// ``remainingCallsAfterDisconnect`` more calls have been decoded, all remaining calls are dropped too.
    package mutating func handleDisconnection() -> Action {
        isConnected = false
        isInputOpen = false
        return determineNextAction()
    }

    /// Encodes an intermediate reply to the running call.
    /// - Parameter parameters: One JSON object in UTF-8.
    /// - Returns: The message to send, or `nil` if the peer cannot receive it.
    package func encodeIntermediateReply(_ parameters: [UInt8]) -> [UInt8]? {
        guard case .performing(let calls) = progress, calls.first?.oneway == false, isConnected
        else {
            return nil
        }
        return ReplyMessage(.parameters(parameters), continues: true).message
    }

    /// Handles the outcome of the first running call.
    /// - Returns: The message to send and the next action. The message is `nil` for a `oneway` call, or after the peer
    ///   has disconnected.
    package mutating func handleOutcome(_ outcome: ReplyMessage.Outcome) -> (
        message: [UInt8]?, next: Action
    ) {
        guard case .performing(let calls) = progress, let call = calls.first else {
            return (nil, determineNextAction())
        }
        progress = calls.count > 1 ? .performing(Array(calls.dropFirst())) : .idle
        let message = call.oneway || !isConnected ? nil : ReplyMessage(outcome).message
        return (message, determineNextAction())
    }

    private mutating func determineNextAction() -> Action {
        switch progress {
        case .finished: return .wait(read: false)
        case .performing: return .wait(read: wantsBytes)
        case .idle: break
        }
        guard isWritable || !isConnected else { return .wait(read: false) }
        do throws(MessageError) {
            let calls = try nextCalls()
            if !calls.isEmpty {
                progress = .performing(calls)
                return .perform(calls)
            }
        } catch {
            progress = .finished
            isInputOpen = false
            let reply: VarlinkError? =
                switch error {
                case .tooLarge: makeTooLargeError?()
                case .tooManyValues: .invalidParameter("parameters")
                default: nil
                }
            guard isConnected, let reply else { return .close(error) }
            return .refuse(ReplyMessage(.error(reply)).message, error)
        }
        if isInputOpen { return .wait(read: true) }
        progress = .finished
        return .close(nil)
    }

    /// Decodes the next call and any later calls that can run together with it.
    private mutating func nextCalls() throws(MessageError) -> [Call] {
        guard let firstCall = try nextCall() else { return [] }
        var calls = [firstCall]
        guard let sharedQueue = queueOfCall(firstCall) else { return calls }
        do throws(MessageError) {
            while calls.count < maximumConcurrentCalls, let call = try nextCall() {
                guard queueOfCall(call) == sharedQueue else {
                    pendingCall = call
                    break
                }
                calls.append(call)
            }
        } catch {
            // The error is handled after the replies to the earlier calls.
            pendingError = error
        }
        return calls
    }

    private mutating func nextCall() throws(MessageError) -> Call? {
        if let error = pendingError { throw error }
        if let call = pendingCall.take(), isConnected || call.oneway { return call }
        while let message = try frames.next() {
            guard isConnected || remainingCallsAfterDisconnect > 0 else {
                droppedCallCount = 1 + frames.removeAll()
                break
            }
            if !isConnected { remainingCallsAfterDisconnect -= 1 }
            let call = try Call(parsing: message)
            if isConnected || call.oneway { return call }
        }
        return nil
    }

    /// Whether to read more bytes. The value may be `true` while a call runs, because reading also detects the end of
    /// the input.
    package var wantsBytes: Bool { isInputOpen && isWritable && !hasMessage }

    private var hasMessage: Bool { frames.hasMessage || pendingCall != nil || pendingError != nil }
}

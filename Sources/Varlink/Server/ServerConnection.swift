/// The server's side of one connection as a pure state machine: bytes and events go in, actions
/// come out.
///
/// At most one call is under way at a time, so replies leave in the order of the calls. Further
/// calls stay undecoded bytes; while a whole one is waiting, or the peer does not read its replies,
/// no more is read. So a connection holds at most one message of the limit and what one read, or
/// the end of the input, brings.
///
/// A call that was received whole is carried out after the input has ended, too. Once the connection
/// is gone only `oneway` calls are, as the reply of another could reach nobody; and only so many calls
/// are still looked at, so that nobody leaves work behind without end.
package struct ServerConnection: ~Copyable {
    /// What the shell is to do next.
    package enum Action: Sendable, Equatable {
        /// Nothing until the next event; `read` says whether to ask for more bytes.
        case wait(read: Bool)
        /// Carry this call out, then report its outcome to ``ServerConnection/answered(_:)``.
        case perform(Call)
        /// Send this message, which no call is waiting for, and close when it has left.
        case refuse([UInt8], MessageError)
        /// Close when all that was sent has left; the reason is nil at an ordinary end.
        case close(MessageError?)
    }

    private enum Progress {
        case idle
        case performing(oneway: Bool)
        case finished
    }

    private var frames: MessageFrames
    /// Whether more bytes may come; else what was received whole is still carried out.
    private var isOpen = true
    private var progress = Progress.idle
    private var isWritable = true
    private var isConnected = true
    private let tooLarge: (@Sendable () -> VarlinkError?)?
    /// How many calls are still looked at once the connection is gone.
    private var callsLeftBehind: Int
    /// How many whole calls were dropped without a look, as there were more.
    package private(set) var droppedCalls = 0

    /// A connection on which nothing has come yet.
    /// - Parameters:
    ///   - requestBytes: The most bytes a call may have.
    ///   - callsLeftBehind: The most calls, not begun yet, that are looked at once the connection is
    ///     gone.
    ///   - tooLarge: Makes the error to reply before closing when a call has more; nil closes without a
    ///     reply.
    package init(
        requestBytes: Int, callsLeftBehind: Int = 64,
        tooLarge: (@Sendable () -> VarlinkError?)? = nil
    ) {
        frames = MessageFrames(limit: requestBytes)
        self.callsLeftBehind = callsLeftBehind
        self.tooLarge = tooLarge
    }

    /// How many received bytes are held.
    package var heldBytes: Int { frames.count }

    /// The connection can be read from now on, or is served from now on: whichever comes last asks
    /// for bytes.
    package mutating func started() -> Action { proceed() }

    /// Bytes have come. They are dropped when the input has ended before.
    package mutating func received(_ bytes: UnsafeRawBufferPointer) -> Action {
        if isOpen { frames.append(bytes) }
        return proceed()
    }

    /// The peer sends no more, or may not: what was received whole is answered, then the connection
    /// closes.
    package mutating func inputEnded() -> Action {
        isOpen = false
        return proceed()
    }

    /// The peer reads its replies again, or has left too many unread.
    package mutating func writabilityChanged(to isWritable: Bool) -> Action {
        self.isWritable = isWritable
        return proceed()
    }

    /// The connection is gone; replies go nowhere from now on, and calls that want one are dropped,
    /// as are those beyond the bound.
    package mutating func disconnected() -> Action {
        isConnected = false
        isOpen = false
        return proceed()
    }

    /// The call under way has a reply that does not end it.
    /// - Parameter parameters: one JSON object in UTF-8.
    /// - Returns: The message to send; nil when nobody takes it.
    package func continued(_ parameters: [UInt8]) -> [UInt8]? {
        guard case .performing(oneway: false) = progress, isConnected else { return nil }
        return ReplyMessage(.parameters(parameters), continues: true).message
    }

    /// The call under way has come to its end.
    /// - Returns: The message to send, none for a `oneway` call or when the peer is gone, and what
    ///   to do then.
    package mutating func answered(_ outcome: ReplyMessage.Outcome) -> (
        message: [UInt8]?, next: Action
    ) {
        guard case .performing(let oneway) = progress else { return (nil, proceed()) }
        progress = .idle
        let message = oneway || !isConnected ? nil : ReplyMessage(outcome).message
        return (message, proceed())
    }

    private mutating func proceed() -> Action {
        switch progress {
        case .finished: return .wait(read: false)
        case .performing: return .wait(read: wantsBytes)
        case .idle: break
        }
        guard isWritable || !isConnected else { return .wait(read: false) }
        do throws(MessageError) {
            while let message = try frames.next() {
                guard isConnected || callsLeftBehind > 0 else {
                    droppedCalls = 1 + frames.removeAll()
                    break
                }
                if !isConnected { callsLeftBehind -= 1 }
                let call = try Call(parsing: message)
                guard isConnected || call.oneway else { continue }
                progress = .performing(oneway: call.oneway)
                return .perform(call)
            }
        } catch {
            progress = .finished
            isOpen = false
            let reply: VarlinkError? =
                switch error {
                case .tooLarge: tooLarge?()
                case .tooManyValues: .invalidParameter("parameters")
                default: nil
                }
            guard isConnected, let reply else { return .close(error) }
            return .refuse(ReplyMessage(.error(reply)).message, error)
        }
        if isOpen { return .wait(read: true) }
        progress = .finished
        return .close(nil)
    }

    /// Whether to ask for more bytes, also while a call is under way: the end of the input shows
    /// then, too.
    package var wantsBytes: Bool { isOpen && isWritable && !frames.hasMessage }
}

import ExactText
package import RepriseControl
import Synchronization
import Varlink

/// Stream of server-sent events that describe a scene to one page.
package struct SceneStream: Sendable {
    /// Maximum number of events that wait for the page.
    ///
    /// If there are more, the stream ends, and the page connects again.
    private static let maximumEvents = 64

    private let socket: String
    private let call: DescribeCall
    /// Events in the format in which they are sent.
    package let events: AsyncStream<[UInt8]>
    private let sender: EventSender

    /// Creates the stream of a scene.
    ///
    /// - Parameters:
    ///   - socket: The path of the daemon's socket.
    ///   - call: The call that describes the scene.
    package init(socket: String, call: DescribeCall) {
        self.socket = socket
        self.call = call
        let (events, continuation) = AsyncStream<[UInt8]>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.maximumEvents))
        self.events = events
        sender = EventSender(continuation: continuation)
    }

    /// Returns a server-sent event whose data is JSON without line breaks.
    package static func event(_ name: String, _ json: [UInt8]) -> [UInt8] {
        Array("event: \(name)\ndata: ".utf8) + json + Array("\n\n".utf8)
    }

    /// Ends the stream.
    package func end() { sender.finish() }

    /// Starts a task that produces events until the daemon ends the stream or the task is cancelled.
    package func start() -> Task<Void, Never> {
        Task {
            async let durability: Void = followDurability()
            await followScene()
            await durability
        }
    }

    private func followScene() async {
        do {
            let connection = try await VarlinkConnection.connect(socket)
            for try await reply in connection.replies(to: call) {
                if let performed = reply.performed {
                    sender.lastPerformedOperation.withLock { $0 = performed }
                }
                if let application = reply.application {
                    sender.application.withLock { $0 = application }
                }
                sender.send("scene", try JSONText.write(reply))
            }
        } catch let failure as CallFailure<ControlError> {
            if let refusal = CallOutcome.Refusal(streamFailure: failure) {
                do { sender.send("refused", try JSONText.encode(refusal)) } catch {}
            }
        } catch {
            // The page connects again, with an increasing delay.
        }
        sender.finish()
    }

    /// Sends the durability level of the page's operations whenever the application's changes have become durable.
    private func followDurability() async {
        do {
            let connection = try await VarlinkConnection.connect(socket)
            let replies = connection.replies(
                to: MonitorCall.with {
                    $0.application = call.application
                    $0.kinds = [.durable]
                })
            let statusConnection = try await VarlinkConnection.connect(socket)
            for try await reply in replies where reply.event != nil {
                // These operations were performed before the status call, so its reply applies to them.
                let lastPerformedOperation = sender.lastPerformedOperation.withLock { $0 }
                let identifier = sender.application.withLock { $0 }
                let status = try await statusConnection.call(StatusCall())
                let application = status.applications.first { $0.bundleIdentifier == identifier }
                guard let application, lastPerformedOperation > 0 else { continue }
                let event = SaveEvent(
                    performed: lastPerformedOperation, saved: application.saved.rawValue)
                sender.send("saved", try JSONText.encode(event))
            }
        } catch {
            // If the daemon has stopped, the stream of the scene ends, too.
        }
    }
}

/// Durability level of a page's operations.
private struct SaveEvent: Encodable {
    /// Number of the last operation to which the level applies.
    let performed: Int
    let saved: String
}

/// Sender of a page's events, which also records the application and the last operation that the scene contains.
private final class EventSender: Sendable {
    let lastPerformedOperation = Mutex(0)
    let application = Mutex("")
    private let continuation: AsyncStream<[UInt8]>.Continuation

    init(continuation: AsyncStream<[UInt8]>.Continuation) { self.continuation = continuation }

    /// Sends an event (see ``SceneStream/event(_:_:)``).
    func send(_ name: String, _ json: [UInt8]) {
        if case .dropped = continuation.yield(SceneStream.event(name, json)) {
            continuation.finish()
        }
    }

    func finish() { continuation.finish() }
}

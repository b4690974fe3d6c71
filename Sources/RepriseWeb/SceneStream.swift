import ExactText
import RepriseControl
import Synchronization
import Varlink

/// Stream of server-sent events that describe a scene to one page.
struct SceneStream: Sendable {
    private let socket: String
    private let call: DescribeCall
    private let session: Session
    private let presence: ScenePresence
    /// Events that wait for the page.
    let queue = EventQueue()
    private let position = StreamPosition()

    /// Creates the stream of a scene.
    ///
    /// - Parameters:
    ///   - socket: The path of the daemon's socket.
    ///   - call: The call that describes the scene.
    ///   - session: The session of the page.
    ///   - presence: The pages that display each scene, to which the stream adds its page.
    init(
        socket: String, call: DescribeCall, session: Session, presence: ScenePresence
    ) {
        self.socket = socket
        self.call = call
        self.session = session
        self.presence = presence
    }

    /// Ends the stream.
    func end() { queue.finish() }

    /// Starts a task that produces events until the daemon ends the stream or the task is cancelled.
    func start() -> Task<Void, Never> {
        Task {
            async let durability: Void = followDurability()
            await followScene()
            await durability
        }
    }

    private func followScene() async {
        var scene: SceneAddress?
        defer { if let scene { presence.leave(scene, queue) } }
        do {
            let connection = try await VarlinkConnection.connect(socket)
            for try await reply in connection.replies(to: call) {
                if let performed = reply.performed {
                    position.lastPerformedOperation.withLock { $0 = performed }
                }
                if let application = reply.application {
                    position.application.withLock { $0 = application }
                }
                // The queue accepts no further event while a scene waits that is larger than the maximum.
                if scene == nil, let application = reply.application, let name = reply.scene {
                    let address = SceneAddress(application: application, scene: name)
                    scene = address
                    presence.join(address, session, queue)
                }
                queue.send("scene", try JSONText.write(reply))
            }
        } catch let failure as CallFailure<ControlError> {
            if let refusal = CallOutcome.Refusal(streamFailure: failure) {
                do { queue.send("refused", try JSONText.encode(refusal)) } catch {}
            }
        } catch {
            // The page connects again, with an increasing delay.
        }
        queue.finish()
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
                let lastPerformedOperation = position.lastPerformedOperation.withLock { $0 }
                let identifier = position.application.withLock { $0 }
                let status = try await statusConnection.call(StatusCall())
                let application = status.applications.first { $0.bundleIdentifier == identifier }
                guard let application, lastPerformedOperation > 0 else { continue }
                let event = SaveEvent(
                    performed: lastPerformedOperation, saved: application.saved.rawValue)
                queue.send("saved", try JSONText.encode(event))
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

/// Application and last operation that a page's events contain.
private final class StreamPosition: Sendable {
    let lastPerformedOperation = Mutex(0)
    let application = Mutex("")
}

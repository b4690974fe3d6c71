import ExactText
import RepriseControl
import Synchronization
import Varlink

/// Stream of server-sent events that describe a scene to one page.
struct SceneStream: Sendable {
    private let sockets: DaemonSockets
    private let call: DescribeCall
    private let session: Session
    private let presence: ScenePresence
    /// Events to send to the page.
    let queue = EventQueue()
    private let position = StreamPosition()

    /// Creates the stream of a scene.
    ///
    /// - Parameters:
    ///   - sockets: The sockets of the daemons.
    ///   - call: The call that describes the scene.
    ///   - session: The session of the page.
    ///   - presence: The register of open pages. The stream adds its page to the register.
    init(
        sockets: DaemonSockets, call: DescribeCall, session: Session, presence: ScenePresence
    ) {
        self.sockets = sockets
        self.call = call
        self.session = session
        self.presence = presence
    }

    /// Ends the stream.
    func end() { queue.finish() }

    /// Starts a task that produces events until the daemon ends the stream or the task is cancelled.
    func start() -> Task<Void, Never> {
        Task {
            do {
                try await follow()
            } catch let failure as CallFailure<ControlError> {
                if let refusal = CallOutcome.Refusal(streamFailure: failure) {
                    do { queue.send("refused", try JSONText.encode(refusal)) } catch {}
                }
            } catch {
                // The page connects again, with an increasing delay.
            }
            queue.finish()
        }
    }

    /// Sends the scene and its changes.
    private func follow() async throws {
        let stream = try await sockets.withOwner(of: call.application) { connection, path in
            var replies = connection.replies(to: call).makeAsyncIterator()
            return (first: try await replies.next(), replies: replies, path: path)
        }
        let path = stream.path
        async let _ = followDurability(path)
        var (reply, replies) = (stream.first, stream.replies)
        var scene: SceneAddress?
        defer { if let scene { presence.leave(scene, queue) } }
        while let next = reply {
            if let performed = next.performed {
                position.lastPerformedOperation.withLock { $0 = performed }
            }
            if let application = next.application {
                position.application.withLock { $0 = application }
            }
            // While a scene that is larger than the maximum is queued, the queue accepts no further event.
            if scene == nil, let application = next.application, let name = next.scene {
                let address = SceneAddress(application: application, scene: name)
                scene = address
                presence.join(address, session, queue)
            }
            queue.send("scene", try JSONText.write(next))
            reply = try await replies.next()
        }
    }

    /// Sends the durability level of the page's operations whenever the application's changes have become durable.
    private func followDurability(_ socket: String) async {
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

/// Most recent application and operation in a page's events.
private final class StreamPosition: Sendable {
    let lastPerformedOperation = Mutex(0)
    let application = Mutex("")
}

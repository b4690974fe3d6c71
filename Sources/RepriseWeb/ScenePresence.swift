import ExactText
import Synchronization
import Varlink

/// Browsers that display each scene.
final class ScenePresence: Sendable {
    /// Page that displays a scene.
    private struct Viewer {
        let session: Session
        let queue: EventQueue
        /// Sentence that the page shows, or `nil` before the page has received one.
        var text: String?
    }

    /// Viewers of each scene, keyed by the application and the scene.
    private let viewers = Mutex<[[ExactString]: [Viewer]]>([:])

    /// Creates an empty register.
    init() {}

    /// Adds a page to a scene. Each of the scene's pages whose sentence has changed receives a `presence` event.
    func join(_ scene: SceneAddress, _ session: Session, _ queue: EventQueue) {
        viewers.withLock { viewers in
            var sceneViewers = viewers[Self.key(scene)] ?? []
            sceneViewers.append(Viewer(session: session, queue: queue))
            Self.update(&sceneViewers)
            viewers[Self.key(scene)] = sceneViewers
        }
    }

    /// Removes a page from a scene.
    func leave(_ scene: SceneAddress, _ queue: EventQueue) {
        viewers.withLock { viewers in
            guard var remaining = viewers[Self.key(scene)] else { return }
            remaining.removeAll { $0.queue === queue }
            Self.update(&remaining)
            viewers[Self.key(scene)] = remaining.isEmpty ? nil : remaining
        }
    }

    private static func key(_ scene: SceneAddress) -> [ExactString] {
        [ExactString(scene.application), ExactString(scene.scene)]
    }

    private static func update(_ viewers: inout [Viewer]) {
        let sessions = Dictionary(
            viewers.map { (ExactString($0.session.identifier), $0.session.role) },
            uniquingKeysWith: { first, _ in first })
        for index in viewers.indices {
            let others = sessions.filter { $0.key.text != viewers[index].session.identifier }.values
            let text = sentence(
                users: others.count { $0 == .user }, observers: others.count { $0 == .observer })
            guard text != viewers[index].text else { continue }
            viewers[index].text = text
            // A dictionary of strings can always be encoded.
            if let json = try? JSONText.encode(["text": text]) {
                viewers[index].queue.send("presence", json)
            }
        }
    }

    /// Returns the sentence about the other browsers that display a scene, or an empty string if there are none.
    static func sentence(users: Int, observers: Int) -> String {
        let parts = [(users, "user"), (observers, "observer")].filter { $0.0 > 0 }.map {
            "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")"
        }
        return parts.isEmpty ? "" : "Also here: \(parts.joined(separator: ", "))"
    }
}

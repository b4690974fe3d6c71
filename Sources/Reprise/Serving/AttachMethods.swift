import ControllerKit
import Preservation
import RepriseControl
import Synchronization
import Varlink

/// The method by which a terminal client shows a scene.
struct AttachMethods: Sendable {
    let applications: ApplicationList
    let clock: any Clock<Duration>
    private let drawings = SharedDrawings()

    init(applications: ApplicationList, clock: any Clock<Duration>) {
        self.applications = applications
        self.clock = clock
    }

    /// A scene is drawn so often at most for one client.
    private static let pause = Duration.milliseconds(8)

    func serve(in methods: inout ServedMethods) throws {
        try methods.on(AttachCall.self, isStreaming: true) { call, context in
            guard (1...TextCanvas.widest).contains(call.columns) else {
                throw VarlinkError.invalidParameter("columns")
            }
            let application = try applications.find(call.application)
            guard let stream = context.stream else {
                return try await first(call, context).changes(since: nil, of: application)
            }
            let follower = Follower(application: application, clock: clock, pause: Self.pause)
            try await follower.follow { (earlier: SceneDrawing?) in
                earlier == nil
                    ? try await first(call, context)
                    : try await drawings.drawing(call, of: application)
            } tell: { drawing, earlier in
                if earlier == nil {
                    stream.note(
                        followed: "\(application.bundleIdentifier) \(drawing.scene)"
                            + (call.observing == true ? ", observing" : ""))
                    try await stream.reply(drawing.changes(since: nil, of: application))
                } else {
                    try await stream.reply(drawing.changes(since: earlier))
                }
            }
        }
    }

    private func first(_ call: AttachCall, _ context: CallContext) async throws -> SceneDrawing {
        try await applications.find(call.application).look(
            on: call.scene, launches: context.access == .all
        ) { SceneCommands($0).drawing(columns: call.columns) }.result
    }
}

/// The drawings of the last turn of each application: many who follow a scene are served with one.
private final class SharedDrawings: Sendable {
    private struct Key: Hashable {
        let scene: String?
        let columns: Int
    }

    private struct Turn {
        var number: Int
        var drawings: [Key: SceneDrawing] = [:]
    }

    /// By bundle identifier.
    private let turns = Mutex<[String: Turn]>([:])

    /// The scene as it is drawn now, or as it was since the last turn that may have changed it: of what changes
    /// now the next turn tells.
    func drawing(_ call: AttachCall, of application: Application) async throws -> SceneDrawing {
        try await application.look(on: call.scene, launches: false) { scene in
            let key = Key(scene: call.scene, columns: call.columns)
            let number = application.changingTurnsCount
            let known = self.turns.withLock { turns in
                turns[application.bundleIdentifier].flatMap {
                    $0.number == number ? $0.drawings[key] : nil
                }
            }
            if let known { return known }
            let drawing = SceneCommands(scene).drawing(columns: call.columns)
            self.turns.withLock { turns in
                var turn = turns[application.bundleIdentifier] ?? Turn(number: number)
                if turn.number != number { turn = Turn(number: number) }
                turn.drawings[key] = drawing
                turns[application.bundleIdentifier] = turn
            }
            return drawing
        }.result
    }
}

extension SceneDrawing {
    /// The first reply to a client.
    fileprivate func changes(since earlier: SceneDrawing?, of application: Application)
        -> AttachCall.Reply
    {
        var reply = changes(since: earlier)
        reply.application = application.bundleIdentifier
        reply.scene = scene
        return reply
    }
}

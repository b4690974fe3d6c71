import ControllerKit
import Preservation
import RepriseControl
import StateRestoration
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
                return try await first(call, context, application).whole(of: application)
            }
            let follower = Follower(application: application, clock: clock, pause: Self.pause)
            try await follower.follow { (earlier: SharedDrawings.Drawing?) in
                earlier == nil
                    ? SharedDrawings.Drawing(
                        scene: try await first(call, context, application), turn: nil)
                    : try await drawings.drawing(call, of: application)
            } tell: { drawing, earlier in
                guard let earlier else {
                    stream.note(
                        followed: "\(application.bundleIdentifier) \(drawing.scene.scene)"
                            + (call.observing == true ? ", observing" : ""))
                    return try await stream.reply(
                        drawing.scene.whole(of: application))
                }
                try await stream.reply(
                    json: [drawings.changes(call, of: application, drawing, since: earlier)])
            }
        }
    }

    private func first(
        _ call: AttachCall, _ context: CallContext, _ application: Application
    ) async throws -> SceneDrawing {
        try await application.look(
            on: call.scene, launches: context.access == .all && call.observing != true
        ) { SceneCommands($0).drawing(columns: call.columns) }.result
    }
}

/// The drawings of the last turn of each application, and what is told of them: many who follow a scene are
/// served with one.
private final class SharedDrawings: Sendable {
    /// A scene as it was drawn.
    struct Drawing: Sendable, Equatable {
        let scene: SceneDrawing
        /// After which turn; nil: it was drawn for one client alone.
        let turn: Int?

        static func == (one: Drawing, other: Drawing) -> Bool {
            one.turn != nil && one.turn == other.turn || one.scene == other.scene
        }
    }

    private struct Key: Hashable {
        let scene: String
        let columns: Int
    }

    private struct Turn {
        let number: Int
        var drawings: [Key: Drawing] = [:]
        /// Replies, each with the turn of the drawing that its client had before.
        var changes: [Key: (since: Int, json: [UInt8])] = [:]
    }

    /// By bundle identifier.
    private let turns = Mutex<[String: Turn]>([:])

    /// The scene as it is drawn now, or as it was since the last turn that may have changed it: of what changes
    /// now the next turn tells.
    func drawing(_ call: AttachCall, of application: Application) async throws -> Drawing {
        try await application.look(on: call.scene, launches: false) { scene in
            let number = application.changingTurnsCount
            let key = Key(scene: scene.name.text, columns: call.columns)
            let known = self.turns.withLock { turns in
                if turns[application.bundleIdentifier]?.number != number {
                    turns[application.bundleIdentifier] = Turn(number: number)
                }
                return turns[application.bundleIdentifier]?.drawings[key]
            }
            if let known { return known }
            let drawing = Drawing(
                scene: SceneCommands(scene).drawing(columns: call.columns), turn: number)
            self.turns.withLock {
                $0[application.bundleIdentifier]?.drawings[key] = drawing
            }
            return drawing
        }.result
    }

    /// The reply that tells what a drawing changes.
    func changes(
        _ call: AttachCall, of application: Application, _ drawing: Drawing, since earlier: Drawing
    ) throws -> [UInt8] {
        let key = Key(scene: drawing.scene.scene, columns: call.columns)
        let known = turns.withLock { turns in
            turns[application.bundleIdentifier].flatMap { $0.number == drawing.turn ? $0 : nil }?
                .changes[key]
        }
        if let known, known.since == earlier.turn { return known.json }
        let json = try JSONText.encode(drawing.scene.changes(since: earlier.scene))
        if let since = earlier.turn {
            turns.withLock { turns in
                guard turns[application.bundleIdentifier]?.number == drawing.turn else { return }
                turns[application.bundleIdentifier]?.changes[key] = (since, json)
            }
        }
        return json
    }
}

extension SceneDrawing {
    /// The first reply to a client.
    fileprivate func whole(of application: Application) -> AttachCall.Reply {
        var reply = changes(since: nil)
        reply.application = application.bundleIdentifier
        reply.scene = scene
        return reply
    }
}

import ControllerKit
import ExactText
import LinuxIO
import Preservation
import RepriseControl
import StateRestoration
import Varlink

/// Methods that read one scene or operate on it.
struct SceneMethods: Sendable {
    let applications: ApplicationList
    let clock: any Clock<Duration>

    /// Minimum time between two checks of a scene that a client follows.
    private static let pause = Duration.milliseconds(50)

    /// Parameters that identify the queue of the operations on a scene.
    ///
    /// Operations on another scene do not share the queue, because that scene may have to be launched first. Methods that
    /// read have no queue, because a connection would then hold up to 16 large results.
    private static let queue = ["application", "scene"]

    func serve(in methods: inout ServedMethods) throws {
        try serveLooking(in: &methods)
        try serveElements(in: &methods)
        try serveViewing(in: &methods)
        try serveProvided(in: &methods)
    }

    private func serveProvided(in methods: inout ServedMethods) throws {
        try methods.on(CommandsCall.self) { call, context in
            let loads = call.load == true && context.access == .all
            return try await look(call, context) {
                try $0.commands(at: call.path, loadingViews: loads)
            }.result
        }
        try methods.on(CallCall.self) { call in
            let reply = try await applications.find(call.application).change(on: call.scene) {
                try SceneCommands($0).call(call.command, call.arguments ?? [:], at: call.path)
            }
            return .with {
                let saved = SavedReply(reply.saved)
                $0.saved = saved.saved
                $0.notSavedReason = saved.notSavedReason
                $0.result = reply.result
            }
        }
    }

    private func serveLooking(in methods: inout ServedMethods) throws {
        try methods.on(ShowCall.self, isStreaming: true) { call, context in
            guard let source = try call.source else {
                return try await follow(call, context) { scene in
                    .with { $0.text = scene.picture() }
                }
            }
            let snapshot = try await applications.find(call.application)
                .snapshot(of: call.scene, in: source, looking: context.access != .all)
            guard let snapshot else {
                throw ControlError.noSnapshot(
                    application: try applications.find(call.application).bundleIdentifier,
                    scene: call.scene)
            }
            return .with {
                $0.text = snapshot.text
                $0.time = timeOfDay(snapshot.microseconds)
            }
        }
        try methods.on(TreeCall.self) { call, context in
            try await look(call, context) { $0.tree() }.result
        }
        try methods.on(GetCall.self, isStreaming: true) { call, context in
            let application = try applications.find(call.application)
            return try await follow(call, context) { scene in
                let stamp = application.assumeIsolated { $0.stamp() }
                let values = try scene.values(at: call.path, stamp: stamp)
                guard let key = call.key else { return .with { $0.values = values } }
                guard let value = values[key] else {
                    throw ControlError.noSuchKey(path: call.path, key: key)
                }
                return .with { $0.value = value }
            }
        }
        try methods.on(ReportCall.self) { call, context in
            let scene = try await applications.find(call.application).launchedScene(call.scene)
            var reply = ReportCall.Reply(scene.name, scene.report)
            if call.all == true {
                let found = try await look(call, context) { $0.found() }.result
                reply.found = found.prefix(RestorationReport.maximumEntries)
                    .map(FoundDescription.init)
                reply.unlisted += found.count - reply.found.count
            }
            return reply
        }
        try methods.on(ExplainCall.self) { call, context in
            let application = try applications.find(call.application)
            let stamp = await application.stamp()
            let reply = try await look(call, context) { $0.story(of: call.path, stamp: stamp) }
            let story = reply.result
            var explanation = story.explanation
            explanation.archive = application.archivePath.containingFolder
            if case .notSaved(let reason) = reply.saved { explanation.unsaved = reason }
            if explanation.mayBeInHistory {
                explanation.copy = try await application.copy(of: call.path, in: story.scene)
            }
            guard explanation.isKnown else {
                throw ControlError.noSuchObject(path: call.path, nearest: story.nearest)
            }
            return ExplainCall.Reply(explanation)
        }
    }

    private func serveElements(in methods: inout ServedMethods) throws {
        try operating(TypeCall.self, in: &methods) { scene, call in
            try call.check()
            return try scene.type(
                call.text, isAppended: call.append == true, selecting: call.select?.range,
                at: call.path)
        }
        try operating(EditTextCall.self, in: &methods) { try $0.edit($1.edit, at: $1.path) }
        try operating(SelectCall.self, in: &methods) { scene, call in
            switch (call.indexes, call.identifiers) {
            case (let indexes?, nil): try scene.select(indexes, at: call.path)
            case (nil, let identifiers?):
                try scene.select(identifiers: identifiers, at: call.path)
            case (nil, nil): throw VarlinkError.invalidParameter("indexes")
            case (_?, _?): throw VarlinkError.invalidParameter("identifiers")
            }
        }
        try operating(TapCall.self, in: &methods) { try $0.tap(row: $1.row, at: $1.path) }
        try operating(EditCall.self, in: &methods) { try $0.edit($1.on, at: $1.path) }
        try operating(MoveCall.self, in: &methods) {
            try $0.move(from: $1.from, to: $1.to, at: $1.path)
        }
        try operating(DeleteCall.self, in: &methods) { try $0.delete(row: $1.row, at: $1.path) }
    }

    private func serveViewing(in methods: inout ServedMethods) throws {
        try operating(ScrollCall.self, in: &methods) { scene, call in
            guard call.x.isFinite else { throw VarlinkError.invalidParameter("x") }
            guard call.y.isFinite else { throw VarlinkError.invalidParameter("y") }
            return try scene.scroll(to: Point(x: call.x, y: call.y), at: call.path)
        }
        try operating(ZoomCall.self, in: &methods) { scene, call in
            guard call.scale.isFinite, call.scale > 0 else {
                throw VarlinkError.invalidParameter("scale")
            }
            return try scene.zoom(to: call.scale, at: call.path)
        }
        try operating(LoadCall.self, in: &methods) { try $0.load($1.url, at: $1.path) }
        try operating(BackCall.self, in: &methods) {
            try $0.back(at: $1.path, keepsChanges: $1.keepChanges == true)
        }
        try operating(ForwardCall.self, in: &methods) { try $0.forward(at: $1.path) }
        try operating(DismissCall.self, in: &methods) {
            try $0.dismiss(keepsChanges: $1.keepChanges == true)
        }
    }

    /// Registers a user operation.
    ///
    /// - Parameter body: Performs the operation, and returns a function that checks whether its change is
    ///   preserved.
    private func operating<Call: SceneCall & ChangingCall>(
        _ type: Call.Type, in methods: inout ServedMethods,
        _ body: @escaping @Sendable (SceneCommands, Call) throws -> PersistenceCheck
    ) throws {
        try methods.on(type, queue: Self.queue) { call in
            SavedReply(
                try await applications.find(call.application).change(on: call.scene) {
                    ((), try body(SceneCommands($0), call))
                }.saved)
        }
    }

    /// Runs a body that only reads the scene of a call, in a turn. For an observer, no scene is launched.
    private func look<Result: Sendable>(
        _ call: some SceneCall, _ context: CallContext, launches: Bool = true,
        _ body: @escaping @Sendable (SceneCommands) throws -> Result
    ) async throws -> CommandReply<Result> {
        let launches = launches && context.access == .all
        return try await applications.find(call.application)
            .look(on: call.scene, launches: launches) { try body(SceneCommands($0)) }
    }

    /// Replies with the result of a body that only reads the scene of a call.
    ///
    /// With `more`, the body runs again after each turn that may have changed something. Each result that differs
    /// from the previous one is sent as another reply.
    private func follow<Call: SceneCall>(
        _ call: Call, _ context: CallContext,
        _ body: @escaping @Sendable (SceneCommands) throws -> Call.Reply
    ) async throws -> Call.Reply where Call.Reply: Equatable {
        guard let stream = context.stream else { return try await look(call, context, body).result }
        let follower = Follower(
            application: try applications.find(call.application), clock: clock, pause: Self.pause)
        try await follower.follow { last in
            try await look(call, context, launches: last == nil, body).result
        } tell: { reply, _ in
            try await stream.reply(reply)
        }
    }
}

extension TypeCall {
    /// Checks the parameters.
    ///
    /// - Throws: `InvalidParameter` if the call does nothing, or if the selection ends before it begins.
    fileprivate func check() throws(VarlinkError) {
        if text == nil {
            if append == true { throw .invalidParameter("append") }
            if select == nil { throw .invalidParameter("text") }
        }
        if let select, select.range == nil { throw .invalidParameter("select") }
    }
}

extension ShowCall {
    /// Saved state to show, or `nil` for the current state of the scene.
    fileprivate var source: SavedStateSource? {
        get throws(VarlinkError) {
            switch (saved == true, generation, quarantined) {
            case (false, nil, nil): nil
            case (true, nil, nil): .saved
            case (false, let name?, nil): .generation(name)
            case (false, nil, let name?): .quarantined(name)
            case (_, _, _?): throw .invalidParameter("quarantined")
            case (true, _?, nil): throw .invalidParameter("generation")
            }
        }
    }
}

extension EditTextCall {
    /// Edit that the call requests.
    fileprivate var edit: TextEdit {
        get throws(VarlinkError) {
            let edit: TextEdit =
                switch (text, action) {
                case (let text?, nil): .insertText(text)
                case (nil, let action?): TextEdit(action)
                case (nil, nil): throw .invalidParameter("text")
                case (_?, _?): throw .invalidParameter("action")
                }
            guard extend == true else { return edit }
            guard case .move(let movement) = edit else { throw .invalidParameter("extend") }
            return .extendSelection(movement)
        }
    }
}

extension TextEdit {
    /// Creates the edit for an action of the interface.
    fileprivate init(_ action: TextAction) {
        self =
            switch action {
            case .deleteBackward: .delete(.left)
            case .deleteForward: .delete(.right)
            case .deleteWordBackward: .delete(.wordLeft)
            case .deleteToBeginningOfLine: .delete(.beginningOfLine)
            case .deleteToEndOfLine: .delete(.endOfLine)
            case .moveLeft: .move(.left)
            case .moveRight: .move(.right)
            case .moveWordLeft: .move(.wordLeft)
            case .moveWordRight: .move(.wordRight)
            case .moveToBeginningOfLine: .move(.beginningOfLine)
            case .moveToEndOfLine: .move(.endOfLine)
            case .moveUp: .move(.up)
            case .moveDown: .move(.down)
            case .pageUp: .move(.pageUp)
            case .pageDown: .move(.pageDown)
            case .moveToBeginningOfDocument: .move(.beginningOfDocument)
            case .moveToEndOfDocument: .move(.endOfDocument)
            case .selectAll: .selectAll
            }
    }
}

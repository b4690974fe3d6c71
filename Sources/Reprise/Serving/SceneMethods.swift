import ControllerKit
import ExactText
import LinuxIO
import Preservation
import RepriseControl
import StateRestoration
import Varlink

/// Methods that read one scene.
extension ControlImplementation {
    func show(
        _ call: ShowCall, _ context: CallContext, _ replies: ReplySender<ShowCall.Reply>?
    ) async throws -> ShowCall.Reply {
        guard let source = try call.source else {
            return try await follow(call, context, replies) {
                ShowCall.Reply(text: $0.renderedText())
            }
        }
        let application = try applications.find(call.application)
        let snapshot = try await application.snapshot(
            of: call.scene, in: source, readOnly: context.access != .all)
        guard let snapshot else {
            throw ControlError.noSnapshot(
                application: application.bundleIdentifier, scene: call.scene)
        }
        return ShowCall.Reply(text: snapshot.text, time: rfc3339String(snapshot.microseconds))
    }

    func tree(_ call: TreeCall, _ context: CallContext) async throws -> TreeCall.Reply {
        try await inspect(call, context) { $0.tree() }.result
    }

    func get(
        _ call: GetCall, _ context: CallContext, _ replies: ReplySender<GetCall.Reply>?
    ) async throws -> GetCall.Reply {
        let application = try applications.find(call.application)
        return try await follow(call, context, replies) { scene in
            let passMetadata = application.assumeIsolated { $0.passMetadata() }
            let values = try scene.values(at: call.path, passMetadata: passMetadata)
            guard let key = call.key else { return GetCall.Reply(values: values) }
            guard let value = values[key] else {
                throw ControlError.noSuchKey(path: call.path, key: key)
            }
            return GetCall.Reply(value: value)
        }
    }

    func commands(_ call: CommandsCall, _ context: CallContext) async throws -> CommandsCall.Reply {
        let mayLoadViews = call.load == true && context.access == .all
        return try await inspect(call, context) {
            try $0.commands(at: call.path, loadingViews: mayLoadViews)
        }.result
    }

    func report(_ call: ReportCall, _ context: CallContext) async throws -> ReportCall.Reply {
        let scene = try await applications.find(call.application).launchedScene(call.scene)
        var reply = ReportCall.Reply(scene.name, scene.report)
        if call.all == true {
            let foundObjects = try await inspect(call, context) {
                ObjectExplainer($0.scene).foundObjects()
            }.result
            reply.found = foundObjects.prefix(RestorationReport.maximumEntries)
                .map(FoundDescription.init)
            reply.unlisted += foundObjects.count - reply.found.count
        }
        return reply
    }

    func explain(_ call: ExplainCall, _ context: CallContext) async throws -> ExplainCall.Reply {
        let application = try applications.find(call.application)
        let passMetadata = await application.passMetadata()
        let reply = try await inspect(call, context) {
            $0.explanation(of: call.path, passMetadata: passMetadata)
        }
        let sceneExplanation = reply.result
        var explanation = sceneExplanation.explanation
        explanation.applicationDirectoryPath =
            application.archivePath.containingDirectory
        if case .notSaved(let reason) = reply.saved { explanation.unsavedReason = reason }
        if explanation.mayBeInHistory {
            explanation.generationSentences = try await application.findNewestGeneration(
                of: call.path, in: sceneExplanation.scene)
        }
        guard explanation.isKnown else {
            throw ControlError.noSuchObject(
                path: call.path, nearest: sceneExplanation.nearestAddress)
        }
        return ExplainCall.Reply(explanation)
    }

    /// Runs a closure that only reads a call's scene, in a turn.
    ///
    /// No scene is launched if the caller has read-only access.
    fileprivate func inspect<Result: Sendable>(
        _ call: some SceneCall, _ context: CallContext, launchesScene: Bool = true,
        _ body: @escaping @Sendable (SceneCommandRunner) throws -> Result
    ) async throws -> CommandReply<Result> {
        let launchesScene = launchesScene && context.access == .all
        return try await applications.find(call.application)
            .inspect(on: call.scene, launchesScene: launchesScene) {
                try body(SceneCommandRunner($0))
            }
    }

    /// Replies with the result of a closure that only reads a call's scene.
    ///
    /// With `more`, the closure runs again after each turn that may have changed something, and each result that
    /// differs from the previous result is sent as another reply.
    fileprivate func follow<Call: SceneCall>(
        _ call: Call, _ context: CallContext, _ replies: ReplySender<Call.Reply>?,
        _ body: @escaping @Sendable (SceneCommandRunner) throws -> Call.Reply
    ) async throws -> Call.Reply where Call.Reply: Equatable {
        guard let replies else { return try await inspect(call, context, body).result }
        let observer = TurnObserver(
            application: try applications.find(call.application), clock: clock,
            minimumInterval: .milliseconds(50))
        try await observer.follow { last in
            try await inspect(call, context, launchesScene: last == nil, body).result
        } deliver: { reply, _ in
            try await replies.send(reply)
        }
    }
}

/// Methods that operate on one scene.
extension ControlImplementation {
    func call(_ call: CallCall, _ context: CallContext) async throws -> CallCall.Reply {
        let reply = try await applications.find(call.application).change(on: call.scene) {
            try SceneCommandRunner($0).call(call.command, call.arguments ?? [:], at: call.path)
        }
        var result = CallCall.Reply(reply.saved)
        result.result = reply.result
        return result
    }

    func type(_ call: TypeCall, _ context: CallContext) async throws -> TypeCall.Reply {
        try await operate(call) { scene in
            if call.text == nil {
                if call.append == true { throw VarlinkError.invalidParameter("append") }
                if call.select == nil { throw VarlinkError.invalidParameter("text") }
            }
            if let select = call.select, select.range == nil {
                throw VarlinkError.invalidParameter("select")
            }
            return try scene.type(
                call.text, isAppended: call.append == true, selecting: call.select?.range,
                at: call.path)
        }
    }

    func editText(_ call: EditTextCall, _ context: CallContext) async throws -> EditTextCall.Reply {
        try await operate(call) { scene in
            try call.drawn?.check()
            return try scene.edit(call.edit, drawn: call.drawn, at: call.path)
        }
    }

    func replaceText(
        _ call: ReplaceTextCall, _ context: CallContext
    ) async throws -> ReplaceTextCall.Reply {
        guard call.start >= 0, call.start <= call.end else {
            throw VarlinkError.invalidParameter("end")
        }
        return try await operate(call) { scene in
            try scene.replaceText(
                call.start..<call.end, with: call.text, base: call.base, at: call.path)
        }
    }

    func select(_ call: SelectCall, _ context: CallContext) async throws -> SelectCall.Reply {
        try await operate(call) { scene in
            switch (call.indexes, call.identifiers) {
            case (let indexes?, nil): try scene.select(indexes, at: call.path)
            case (nil, let identifiers?):
                try scene.select(identifiers: identifiers, at: call.path)
            case (nil, nil): throw VarlinkError.invalidParameter("indexes")
            case (_?, _?): throw VarlinkError.invalidParameter("identifiers")
            }
        }
    }

    func tap(_ call: TapCall, _ context: CallContext) async throws -> TapCall.Reply {
        try await operate(call) { try $0.tap(row: call.row, at: call.path) }
    }

    func edit(_ call: EditCall, _ context: CallContext) async throws -> EditCall.Reply {
        try await operate(call) { try $0.edit(call.on, at: call.path) }
    }

    func move(_ call: MoveCall, _ context: CallContext) async throws -> MoveCall.Reply {
        try await operate(call) { try $0.move(from: call.from, to: call.to, at: call.path) }
    }

    func delete(_ call: DeleteCall, _ context: CallContext) async throws -> DeleteCall.Reply {
        try await operate(call) { try $0.delete(row: call.row, at: call.path) }
    }

    func undoDelete(
        _ call: UndoDeleteCall, _ context: CallContext
    ) async throws -> UndoDeleteCall.Reply {
        try await operate(call) { try $0.undoDelete(at: call.path) }
    }

    func scroll(_ call: ScrollCall, _ context: CallContext) async throws -> ScrollCall.Reply {
        try await operate(call) { scene in
            try call.drawn?.check()
            return try scene.scroll(
                to: Point(x: call.x, y: call.y), drawn: call.drawn, at: call.path)
        }
    }

    func zoom(_ call: ZoomCall, _ context: CallContext) async throws -> ZoomCall.Reply {
        try await operate(call) { scene in
            guard call.scale > 0 else { throw VarlinkError.invalidParameter("scale") }
            return try scene.zoom(to: call.scale, at: call.path)
        }
    }

    func load(_ call: LoadCall, _ context: CallContext) async throws -> LoadCall.Reply {
        try await operate(call) { try $0.load(call.url, at: call.path) }
    }

    func back(_ call: BackCall, _ context: CallContext) async throws -> BackCall.Reply {
        try await operate(call) {
            try $0.back(at: call.path, keepsChanges: call.keepChanges == true)
        }
    }

    func forward(_ call: ForwardCall, _ context: CallContext) async throws -> ForwardCall.Reply {
        try await operate(call) { try $0.forward(at: call.path) }
    }

    func dismiss(_ call: DismissCall, _ context: CallContext) async throws -> DismissCall.Reply {
        try await operate(call) { try $0.dismiss(keepsChanges: call.keepChanges == true) }
    }

    /// Performs a user operation on a call's scene, unless the scene has already performed the operation.
    ///
    /// - Parameter body: A closure that performs the operation, and returns a function that checks whether the change
    ///   is preserved.
    private func operate<Call: OperationCall>(
        _ call: Call, _ body: @escaping @Sendable (SceneCommandRunner) throws -> PersistenceCheck
    ) async throws -> Call.Reply where Call.Reply: SaveOutcome {
        let operation = call.operation
        if operation?.isValid == false { throw VarlinkError.invalidParameter("operation") }
        let reply = try await applications.find(call.application).change(on: call.scene) { scene in
            guard let operation else { return ((), try body(SceneCommandRunner(scene))) }
            let lastNumber = scene.performedOperations.lastNumber(of: operation.client) ?? 0
            if operation.number <= lastNumber { return ((), { _ in nil }) }
            let saveCheck = try body(SceneCommandRunner(scene))
            scene.performedOperations.record(operation.number, of: operation.client)
            return ((), saveCheck)
        }
        return .init(reply.saved)
    }
}

extension ShowCall {
    /// Saved state to show, or `nil` to show the current state of the scene.
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

extension DrawnSize {
    /// Checks that an element of this size fits into a rendering.
    fileprivate func check() throws(VarlinkError) {
        guard (1...TextCanvas.maximumWidth).contains(columns),
            (1...TextCanvas.maximumLines).contains(lines)
        else {
            throw .invalidParameter("drawn")
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
    /// Creates the edit that corresponds to an action in the interface.
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

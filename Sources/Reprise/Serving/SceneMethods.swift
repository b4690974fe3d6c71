import ControllerKit
import ExactText
import LinuxIO
import Preservation
import RepriseControl
import StateRestoration
import Varlink

/// Methods that open and close scenes.
extension ControlImplementation {
    func open(_ call: OpenCall, _ context: CallContext) async throws -> OpenCall.Reply {
        .init(try await applications.find(call.application).open(scene: call.name))
    }

    func close(_ call: CloseCall, _ context: CallContext) async throws -> CloseCall.Reply {
        .init(try await applications.find(call.application).close(scene: call.name))
    }
}

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
        return ShowCall.Reply(
            text: snapshot.text, time: rfc3339String(snapshot.timestampMicroseconds))
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
            guard let key = call.key else {
                return GetCall.Reply(
                    values: try scene.values(at: call.path, passMetadata: passMetadata))
            }
            guard let value = try scene.value(of: key, at: call.path, passMetadata: passMetadata)
            else {
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
        guard explanation.isObjectKnown else {
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

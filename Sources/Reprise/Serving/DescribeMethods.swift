import Preservation
import RepriseControl
import Varlink

/// Method for describing the elements of a scene and their roles to clients that display the scene themselves.
extension ControlImplementation {
    func describe(
        _ call: DescribeCall, _ context: CallContext, _ replies: ReplySender<DescribeCall.Reply>?
    ) async throws -> DescribeCall.Reply {
        let maximumRows = call.rows ?? SceneElements.rowLimits.initial
        guard (1...SceneElements.rowLimits.maximum).contains(maximumRows) else {
            throw VarlinkError.invalidParameter("rows")
        }
        if let client = call.client, !OperationIdentifier.isValid(client: client) {
            throw VarlinkError.invalidParameter("client")
        }
        let application = try applications.find(call.application)
        let launchesScene = context.mayLaunchScene(observing: call.observing)
        let firstElements = try await application.elements(
            of: call.scene, maximumRows, call.client, launchesScene: launchesScene)
        guard let replies else { return firstElements.completeReply(of: application) }
        replies.stream.report(
            followedScene: firstElements.scene, of: application, observing: call.observing)
        // The client follows the scene named in the first reply, even if another scene becomes the first scene.
        let observer = TurnObserver(
            application: application, clock: clock, minimumInterval: .milliseconds(8))
        try await observer.follow { _ in
            try await application.elements(
                of: firstElements.scene, maximumRows, call.client, launchesScene: false)
        } deliver: { elements, last in
            try await replies.send(
                last.map(elements.changes) ?? elements.completeReply(of: application))
        }
    }
}

extension Application {
    /// Describes the current state of a scene.
    fileprivate func elements(
        of scene: String?, _ maximumRows: Int, _ client: String?, launchesScene: Bool
    ) async throws -> SceneElements {
        try await inspect(on: scene, launchesScene: launchesScene) {
            SceneCommandRunner($0).elements(maximumRows: maximumRows, client: client)
        }.result
    }
}

extension SceneElements {
    /// Returns the first reply to a client. The reply contains the complete description.
    fileprivate func completeReply(of application: Application) -> DescribeCall.Reply {
        var reply = changes(since: nil)
        reply.application = application.bundleIdentifier
        reply.scene = scene
        return reply
    }
}

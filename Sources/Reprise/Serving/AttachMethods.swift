import ControllerKit
import Preservation
import RepriseControl
import Varlink

/// Method for displaying a scene in a terminal client.
extension ControlImplementation {
    func attach(
        _ call: AttachCall, _ context: CallContext, _ replies: ReplySender<AttachCall.Reply>?
    ) async throws -> AttachCall.Reply {
        let size = try call.size
        let application = try applications.find(call.application)
        let launchesScene = context.mayLaunchScene(observing: call.observing)
        let firstFrame = try await application.drawing(
            of: call.scene, size: size, launchesScene: launchesScene)
        guard let stream = replies?.stream else {
            return firstFrame.drawing.completeReply(of: application)
        }
        let scene = firstFrame.drawing.scene
        stream.report(followedScene: scene, of: application, observing: call.observing)
        try await follow(scene, size: size, of: application, over: stream)
    }

    private func follow(
        _ scene: String, size: SceneDrawing.Size, of application: Application,
        over stream: ReplyStream
    ) async throws -> Never {
        let sharedDrawing = drawings.join(scene, size: size, of: application)
        defer { drawings.leave(sharedDrawing) }
        // Subscribe before the first drawing, so that no change is missed.
        let changes = sharedDrawing.changes.subscribe()
        var lastFrame = try await application.drawing(
            of: scene, size: size, launchesScene: false)
        try await ReplySender(stream: stream).send(lastFrame.drawing.completeReply(of: application))
        for await _ in changes {
            guard let (frame, json) = try sharedDrawing.changes(since: lastFrame) else { continue }
            lastFrame = frame
            if let json { try await stream.reply(json: [json]) }
        }
        // There are no more drawings. The next call throws an error that states the reason.
        _ = try await application.drawing(of: scene, size: size, launchesScene: false)
        throw CancellationError()
    }
}

extension AttachCall {
    /// Size of the drawing that the call requests.
    fileprivate var size: SceneDrawing.Size {
        get throws(VarlinkError) {
            guard (1...TextCanvas.maximumWidth).contains(columns) else {
                throw .invalidParameter("columns")
            }
            guard lines.map((1...TextCanvas.maximumLines).contains) ?? true else {
                throw .invalidParameter("lines")
            }
            return SceneDrawing.Size(columns: columns, lines: lines)
        }
    }
}

extension SceneDrawing {
    /// Returns the first reply to a client. The reply contains the complete drawing.
    fileprivate func completeReply(of application: Application) -> AttachCall.Reply {
        var reply = changes(since: nil)
        reply.application = application.bundleIdentifier
        reply.scene = scene
        return reply
    }
}

extension CallContext {
    /// Returns whether a call that displays a scene may launch the scene.
    ///
    /// - Parameter observing: Whether the client only observes the scene.
    func mayLaunchScene(observing: Bool?) -> Bool { access == .all && observing != true }
}

extension ReplyStream {
    /// Sets the scene that `Clients` lists for this client, and whether the client only observes the scene.
    func report(followedScene scene: String, of application: Application, observing: Bool?) {
        report(
            followed: "\(application.bundleIdentifier) \(scene)"
                + (observing == true ? ", observing" : ""))
    }
}

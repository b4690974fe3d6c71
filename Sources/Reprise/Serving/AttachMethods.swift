import ControllerKit
import Preservation
import RepriseControl
import Varlink

/// Method that lets a terminal client display a scene.
extension ControlImplementation {
    func attach(
        _ call: AttachCall, _ context: CallContext, _ replies: ReplySender<AttachCall.Reply>?
    ) async throws -> AttachCall.Reply {
        guard (1...TextCanvas.maximumWidth).contains(call.columns) else {
            throw VarlinkError.invalidParameter("columns")
        }
        let application = try applications.find(call.application)
        let launches = context.access == .all && call.observing != true
        let drawing = try await application.drawing(
            of: call.scene, columns: call.columns, launches: launches)
        guard let stream = replies?.stream else {
            return drawing.scene.completeReply(of: application)
        }
        let scene = drawing.scene.scene
        stream.report(
            followed: "\(application.bundleIdentifier) \(scene)"
                + (call.observing == true ? ", observing" : ""))
        try await follow(scene, columns: call.columns, of: application, over: stream)
    }

    private func follow(
        _ scene: String, columns: Int, of application: Application, over stream: ReplyStream
    ) async throws -> Never {
        let shared = drawings.join(scene, columns: columns, of: application)
        defer { drawings.leave(shared) }
        // Subscribes before the first drawing, so that no change is missed.
        let changes = shared.changes.subscribe()
        var last = try await application.drawing(of: scene, columns: columns, launches: false)
        try await ReplySender(stream: stream).send(last.scene.completeReply(of: application))
        for await _ in changes {
            guard let (frame, json) = try shared.changes(since: last) else { continue }
            last = frame
            if let json { try await stream.reply(json: [json]) }
        }
        // No more drawings follow. The next call throws an error that states the reason.
        _ = try await application.drawing(of: scene, columns: columns, launches: false)
        throw CancellationError()
    }
}

extension SceneDrawing {
    /// Returns the first reply to a client, which contains the complete drawing.
    fileprivate func completeReply(of application: Application) -> AttachCall.Reply {
        var reply = changes(since: nil)
        reply.application = application.bundleIdentifier
        reply.scene = scene
        return reply
    }
}

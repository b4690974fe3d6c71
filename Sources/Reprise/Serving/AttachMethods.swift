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
        let launchesScene = context.access == .all && call.observing != true
        let frame = try await application.drawing(
            of: call.scene, columns: call.columns, launchesScene: launchesScene)
        guard let stream = replies?.stream else { return frame.drawing }
        stream.report(
            followed: "\(application.bundleIdentifier) \(frame.scene)"
                + (call.observing == true ? ", observing" : ""))
        try await follow(frame.scene, columns: call.columns, of: application, over: stream)
    }

    private func follow(
        _ scene: String, columns: Int, of application: Application, over stream: ReplyStream
    ) async throws -> Never {
        let sharedDrawing = drawings.join(scene, columns: columns, of: application)
        defer { drawings.leave(sharedDrawing) }
        // Subscribes before the first drawing, so that no change is missed.
        let changes = sharedDrawing.changes.subscribe()
        var lastFrame = try await application.drawing(
            of: scene, columns: columns, launchesScene: false)
        try await ReplySender(stream: stream).send(lastFrame.drawing)
        for await _ in changes {
            guard let (frame, json) = try sharedDrawing.changes(since: lastFrame) else { continue }
            lastFrame = frame
            if let json { try await stream.reply(json: [json]) }
        }
        // No more drawings follow. The next call throws an error that states the reason.
        _ = try await application.drawing(of: scene, columns: columns, launchesScene: false)
        throw CancellationError()
    }
}

import RepriseControl
import Varlink

/// Method for following events.
extension ControlImplementation {
    func monitor(
        _ call: MonitorCall, _ context: CallContext, _ replies: ReplySender<MonitorCall.Reply>
    ) async throws -> MonitorCall.Reply {
        if let application = call.application { _ = try applications.find(application) }
        if call.kinds?.isEmpty == true { throw VarlinkError.invalidParameter("kinds") }
        let filter = EventFilter(
            application: call.application, scene: call.scene, path: call.path,
            kinds: call.kinds.map(Set.init))
        let position: (String, Int)? =
            switch (call.instance, call.after) {
            case (nil, nil): nil
            case (let instance?, let after?): (instance, after)
            case (nil, _?): throw VarlinkError.invalidParameter("instance")
            case (_?, nil): throw VarlinkError.invalidParameter("after")
            }
        try await feed.follow(filter, after: position) {
            try await replies.stream.reply(json: $0)
        }
        return MonitorCall.Reply(instance: feed.instance, number: 0)
    }
}

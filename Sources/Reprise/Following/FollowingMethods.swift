import RepriseControl
import Varlink

/// Method with which a client follows events.
struct FollowingMethods: Sendable {
    let applications: ApplicationList
    let feed: EventFeed

    func serve(in methods: inout ServedMethods) throws {
        try methods.on(MonitorCall.self, isStreaming: true) { call, context in
            guard let stream = context.stream else { throw VarlinkError.expectedMore }
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
                try await stream.reply(json: $0)
            }
            return .with { $0.instance = feed.instance }
        }
    }
}

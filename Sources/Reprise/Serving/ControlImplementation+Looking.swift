import Glibc
import Preservation
import RepriseControl
import StateRestoration
import Varlink

extension ControlImplementation {
    /// What tells and changes nothing.
    func onLooking(_ interface: inout InterfaceImplementation) throws {
        try on(.status, &interface) { (_: Empty) in await status() }
        try on(.list, &interface) { (_: Empty) in await list() }
        try on(.show, &interface) { (parameters: SceneParameters) in
            try await perform(parameters) { ShowReply(text: $0.picture()) }.result
        }
        try on(.tree, &interface) { (parameters: SceneParameters) in
            try await perform(parameters) { $0.tree() }.result
        }
        try on(.get, &interface) { (parameters: GetParameters) in try await get(parameters) }
        try on(.report, &interface) { (parameters: SceneParameters) in
            ReportReply(
                try await applications.find(parameters.application)
                    .launchedScene(parameters.scene))
        }
        try on(.explain, &interface) { (parameters: ObjectParameters) in
            let stamp = try await applications.find(parameters.application).stamp()
            return try await perform(parameters) { scene in
                try scene.explanation(of: parameters.path, stamp: stamp)
            }.result
        }
    }

    private func status() async -> StatusReply {
        let values = condition.values
        return StatusReply(
            version: Daemon.version, processIdentifier: Int(getpid()),
            stateDirectory: stateDirectory, configurationError: values.configurationError,
            waitingForRestart: values.waiting,
            notWatched: values.notWatched.sorted { $0.key < $1.key }.map {
                StatusReply.NotWatched(path: $0.key, reason: $0.value)
            },
            applications: await applications.statuses().map(ApplicationDescription.init))
    }

    private func list() async -> ListReply {
        ListReply(
            applications: await applications.statuses().map(ApplicationDescription.init).map {
                ListReply.Application(
                    bundleIdentifier: $0.bundleIdentifier, phase: $0.phase,
                    scenes: $0.scenes.map { ListReply.Scene(name: $0.name, phase: $0.phase) })
            })
    }

    private func get(_ parameters: GetParameters) async throws -> GetReply {
        let stamp = try await applications.find(parameters.application).stamp()
        let values = try await perform(parameters) { scene in
            try scene.values(at: parameters.path, stamp: stamp)
        }.result
        guard let key = parameters.key else { return GetReply(values: values) }
        guard let value = values[key] else {
            throw ControlError.noSuchKey(path: parameters.path, key: key)
        }
        return GetReply(value: value)
    }
}

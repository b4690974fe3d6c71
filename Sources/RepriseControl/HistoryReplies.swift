/// What `History` answers.
package struct HistoryReply: Codable, Sendable {
    package var generations: [GenerationDescription]

    package init(generations: [GenerationDescription]) {
        self.generations = generations
    }
}

/// A generation as `History` tells it.
package struct GenerationDescription: Codable, Sendable {
    package var name: String
    package var path: String
    package var time: String
    package var reason: String?
    package var bytes: Int
    package var bundleVersions: [String]
    package var objects: Int
    package var problem: String?

    package init(
        name: String, path: String, time: String, reason: String?, bytes: Int,
        bundleVersions: [String], objects: Int, problem: String?
    ) {
        self.name = name
        self.path = path
        self.time = time
        self.reason = reason
        self.bytes = bytes
        self.bundleVersions = bundleVersions
        self.objects = objects
        self.problem = problem
    }
}

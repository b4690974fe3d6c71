/// What `Quarantine` answers.
package struct QuarantineReply: Codable, Sendable {
    package var quarantined: [QuarantinedDescription]

    package init(quarantined: [QuarantinedDescription]) {
        self.quarantined = quarantined
    }
}

/// What something in quarantine is.
package enum FileSort: String, Codable, Sendable {
    case file, folder, link, other
}

/// Something that lies in quarantine.
package struct QuarantinedDescription: Codable, Sendable {
    package var name: String
    package var path: String
    package var kind: FileSort
    package var reason: String?
    package var time: String?
    package var bytes: Int

    package init(
        name: String, path: String, kind: FileSort = .file, reason: String?, time: String?,
        bytes: Int
    ) {
        self.name = name
        self.path = path
        self.kind = kind
        self.reason = reason
        self.time = time
        self.bytes = bytes
    }
}

/// What `QuarantinePutBack` answers.
package struct PutBackReply: Codable, Sendable {
    package var scenes: [String]
    package var generation: String?
    package var shortfall: String?
    package var saved: SaveLevel
    package var notSavedReason: String?

    package init(scenes: [String], generation: String?, shortfall: String?, saved: SavedReply) {
        self.scenes = scenes
        self.generation = generation
        self.shortfall = shortfall
        self.saved = saved.saved
        notSavedReason = saved.notSavedReason
    }
}

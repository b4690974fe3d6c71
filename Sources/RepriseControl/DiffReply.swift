/// What `Diff` answers.
package struct DiffReply: Codable, Sendable {
    package var from: String
    package var to: String?
    package var differences: [DifferenceDescription]
    package var unlisted: Int
    package var problems: [String]

    package init(
        from: String, to: String?, differences: [DifferenceDescription], unlisted: Int,
        problems: [String]
    ) {
        self.from = from
        self.to = to
        self.differences = differences
        self.unlisted = unlisted
        self.problems = problems
    }
}

/// One difference as `Diff` tells it.
package struct DifferenceDescription: Codable, Sendable, Equatable {
    /// What is different.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case appeared
        case disappeared
        case added
        case removed
        case changed
        case `class`
        case restorationClass
        case storyboard
        case storyboardIdentifier
        case bundleVersion
        case inUse
        case unreadable
    }

    package var scene: String
    package var path: String?
    package var kind: Kind
    package var key: String?
    package var from: StateJSON?
    package var to: StateJSON?

    package init(
        scene: String, path: String?, kind: Kind, key: String? = nil, from: StateJSON? = nil,
        to: StateJSON? = nil
    ) {
        self.scene = scene
        self.path = path
        self.kind = kind
        self.key = key
        self.from = from
        self.to = to
    }
}

import ExactText

/// A difference between two saved states of an application.
public struct StateDifference: Sendable, Equatable {
    /// Name of the scene.
    public var scene: String
    /// Path of the object, or `nil` for the scene itself.
    public var path: String?
    /// Change to the object or the scene.
    public var change: Change

    package init(scene: String, path: String?, change: Change) {
        self.scene = scene
        self.path = path
        self.change = change
    }

    /// A change to an object or a scene.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Change: Sendable, Equatable {
        /// The object or scene exists only in the second state. The following differences list its values as added.
        case appeared(class: String?)
        /// The object or scene exists only in the first state. The following differences list its values as removed.
        case disappeared(class: String?)
        /// A trait differs. `from` or `to` is `nil` if the corresponding state lacks the trait.
        case trait(Trait, from: String?, to: String?)
        /// The values stored under a key differ. `from` or `to` is `nil` if the corresponding state has no value.
        case value(key: String, from: Content?, to: Content?)
        /// Some values cannot be read, and their bytes differ.
        case unreadable
    }

    /// Content of a value, as shown in a difference.
    public enum Content: Sendable, Equatable {
        /// The value itself.
        case value(StoredValue)
        /// Size in bytes of a value that is too large to be shown.
        case large(byteCount: Int)
    }

    /// A part of a record other than its values.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Trait: String, Sendable, CaseIterable {
        /// Name of the object's class (P13).
        case `class`
        /// Name of the object's restoration class.
        case restorationClass
        /// Name of the storyboard that created the object.
        case storyboard
        /// Identifier of the object in the storyboard.
        case storyboardIdentifier
        /// Version of the application that saved the scene (L6).
        case bundleVersion
        /// Whether the scene was in use rather than closed (S3), as `true` or `false`.
        case inUse
    }
}

/// Differences between two saved states of an application, ordered by scene, path and key.
public struct StateDifferences: Sendable, Equatable {
    /// The first differences, up to the limit.
    public var listedDifferences: [StateDifference] = []
    /// Number of differences that are not listed.
    public var unlistedCount = 0

    package init() {}

    /// Whether the states are equal.
    public var isEmpty: Bool { listedDifferences.isEmpty && unlistedCount == 0 }
}

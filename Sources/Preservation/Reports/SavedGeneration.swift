import ExactText
public import FoundationEssentials
public import StateRestoration

/// Earlier saved state of an application, stored in the history.
public struct SavedGeneration: Sendable, Equatable {
    /// Name of the generation: a number with leading zeros, such as `000012`.
    ///
    /// Later generations have higher numbers.
    public var name: String
    /// Path of the generation.
    public var path: String
    /// Time at which the generation was added.
    public var time: Date
    /// Phrase that states why the generation was added, or `nil` if the reason is unknown.
    public var reason: String?
    /// Size of the generation in bytes.
    public var byteCount: Int
    /// Versions of the program that saved the scenes in the generation, without duplicates (L6).
    public var bundleVersions: [String] = []
    /// Number of objects in the generation.
    public var objectCount = 0
    /// Sentence that describes the unusable part of the generation, or `nil` if there is none.
    public var problem: String?
}

/// Differences between two generations, or between a generation and the current saved state.
public struct GenerationComparison: Sendable, Equatable {
    /// Name of the first generation.
    public var from: String
    /// Name of the second generation, or `nil` for the current saved state.
    public var to: String?
    /// Differences between the two states.
    public var differences: StateDifferences
    /// Sentences that describe unusable parts of the two states. These parts were not compared.
    public var problems: [String] = []
}

/// Source of an application's saved state: the current state, a generation or a quarantined file.
public enum SavedStateSource: Sendable, Equatable {
    /// The current saved state.
    case saved
    /// The generation with the given name, with or without leading zeros.
    case generation(String)
    /// The quarantined file with the given name.
    case quarantined(String)
}

import ExactText
public import FoundationEssentials
public import StateRestoration

/// A copy of the state that an application had saved at an earlier time.
public struct SavedGeneration: Sendable, Equatable {
    /// The name of the generation, which is its number, as in `000012`.
    ///
    /// Later generations have higher numbers.
    public var name: String
    /// The path of the generation.
    public var path: String
    /// The time at which the generation was made.
    public var time: Date
    /// The reason why the generation was made, as a phrase, or `nil` if the reason is unknown.
    public var reason: String?
    /// The size of the generation in bytes.
    public var byteCount: Int
    /// The versions of the program that saved its scenes, without duplicates (L6).
    public var bundleVersions: [String] = []
    /// The number of objects in the generation.
    public var objectCount = 0
    /// A sentence about what is unusable in the generation, or `nil` if all of it is usable.
    public var problem: String?
}

/// Differences between two generations, or between a generation and the saved state.
public struct GenerationComparison: Sendable, Equatable {
    /// The name of the first generation.
    public var from: String
    /// The name of the second generation, or `nil` for the state that is saved now.
    public var to: String?
    /// The differences.
    public var differences: StateDifferences
    /// Sentences about parts of the two states that are unusable, and that were not compared.
    public var problems: [String] = []
}

/// A current or earlier saved state of an application.
public enum SavedStateSource: Sendable, Equatable {
    /// The state that is saved now.
    case saved
    /// The generation with this name, with or without leading zeros.
    case generation(String)
    /// The quarantined file with this name.
    case quarantined(String)
}

import ExactText

/// A report on a launch. It lists the objects that the launch did not restore (R15).
///
/// The size of a report is limited. Each list has at most ``maximumEntries`` entries, and each path has at
/// most ``RestorationPath/maximumBytes`` bytes. Omitted entries are counted.
public struct RestorationReport: Sendable, Codable, Equatable {
    /// Maximum number of entries in a list.
    public static let maximumEntries = 10_000

    /// Reason why the scene was launched.
    public var reason: LaunchReason
    /// Number of recorded objects.
    public var recorded = 0
    /// Number of recorded objects that were found and that decoded their state.
    public var restored = 0
    /// Recorded objects that were not restored, parents first.
    public var unrestored: [UnrestoredObject] = []
    /// Entries for existing objects that were restored although the restoration class or the delegate returned a
    /// different object (R11).
    ///
    /// The code of these entries is `duplicate-path`.
    public var duplicates: [UnrestoredObject] = []
    /// Number of records that were not assigned to an object.
    ///
    /// These records remain in the archive as unclaimed records (R16).
    public var unclaimed = 0
    /// Paths of records that are removed because too many launches failed to assign them to objects (R16).
    public var expired: [String] = []
    /// Paths of records that the next launch will remove unless it assigns them to objects (R16).
    public var expiring: [String] = []
    /// Paths of records that are removed because the application reported that their objects no longer exist
    /// (R3).
    public var gone: [String] = []
    /// Sentence that describes the scene's previous crash and contains the command that retries the launch.
    ///
    /// The value is `nil` if the scene did not crash, or if the crash has been resolved (L2, L3).
    public package(set) var precedingDeath: String?
    /// Sentences about controllers that were removed by actions in other scenes since the launch.
    ///
    /// Each sentence contains the path of a controller and the location of its saved contents.
    public var vanished: [String] = []
    /// Number of entries that were omitted from the lists.
    public var unlisted = 0
    /// Whether the delegate refused to restore the state (P1).
    public var isRefused = false
    /// Explanation of what happened to saved state that the launch did not receive, with the command that restores the
    /// state (L4, L5).
    ///
    /// The value is a sentence without a full stop, or `nil` if there is no such state.
    public var displaced: String?
    /// Number of calls to ``Scene/completeStateRestoration()`` without a matching extension (R13).
    public var superfluousCompletions = 0
    /// Whether the launch timed out while it was still extended (R13).
    public var hasTimedOut = false

    /// Whether any record was not assigned to an object (R16).
    ///
    /// In this case, a generation is added before the first pass.
    public var hasUnassignedRecords: Bool { isRefused || unclaimed > 0 || !expired.isEmpty }
    /// Whether any object could not decode its record.
    ///
    /// The next change to such an object replaces its record, so a generation is added before the first pass.
    public var hasDecodingFailures: Bool { unrestored.contains { $0.code == .decodeFailed } }

    /// Creates an empty report.
    public init(reason: LaunchReason) {
        self.reason = reason
    }

    /// Returns the entry for the object recorded at a path, or `nil` if there is none.
    ///
    /// An object has no entry if it was never recorded, if it is only counted in ``unlisted``, or if it was restored
    /// and is not listed in ``duplicates``.
    ///
    /// - Parameter path: The path in its written form, compared byte by byte (I5).
    public func entry(for path: String) -> UnrestoredObject? {
        let isEntryForPath = { (entry: UnrestoredObject) in entry.path.utf8.elementsEqual(path.utf8)
        }
        return unrestored.first(where: isEntryForPath) ?? duplicates.first(where: isEntryForPath)
    }

    /// Adds an entry to a list, or counts it in ``unlisted`` if the list is full.
    ///
    /// - Parameter entry: The entry. It is created only if it is added.
    mutating func add<Entry>(
        _ entry: @autoclosure () -> Entry, to list: WritableKeyPath<Self, [Entry]>
    ) {
        if self[keyPath: list].count < Self.maximumEntries {
            self[keyPath: list].append(entry())
        } else {
            unlisted += 1
        }
    }
}

/// A report entry for a recorded object, usually one that the launch did not restore.
public struct UnrestoredObject: Sendable, Codable, Equatable {
    /// Maximum size of a ``detail`` or ``remedy`` in bytes.
    public static let maximumDetailBytes = 1024
    /// Value of ``path`` for an object whose path is unknown.
    public static let unknownPath = "(an object whose path is not known)"

    /// Restoration path of the object.
    public var path: String
    /// Reason why the object was not restored.
    public var code: RestorationFailure
    /// Explanation for the user, in one sentence.
    public var detail: String
    /// Remedy that enables a later launch to restore the object.
    ///
    /// The remedy is an imperative sentence, or an empty string if no remedy is known.
    public var remedy: String
    /// Whether an earlier launch also failed to restore the object.
    public var isRepeated = false

    /// Creates an entry.
    ///
    /// A path, detail or remedy that is too long is truncated and ends in `…`.
    public init(
        path: String, code: RestorationFailure, detail: String, remedy: String = "",
        isRepeated: Bool = false
    ) {
        self.isRepeated = isRepeated
        self.path = path.truncated(to: RestorationPath.maximumBytes)
        self.code = code
        self.detail = detail.truncated(to: Self.maximumDetailBytes)
        self.remedy = remedy.truncated(to: Self.maximumDetailBytes)
    }
}

/// Reason why a recorded object was not restored, as a stable code (R15).
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum RestorationFailure: String, Sendable, Codable, CaseIterable {
    /// The restoration class returned no object (R3, R7).
    case restorationClassNil = "restoration-class-nil"
    /// No class is registered under the recorded name of the restoration class (R5).
    case restorationClassMissing = "restoration-class-missing"
    /// No class has the recorded class name (R5).
    case classMissing = "class-missing"
    /// The object that was found does not have the recorded class (R4).
    case classMismatch = "class-mismatch"
    /// The storyboard does not exist, or does not contain the controller (R3).
    case storyboardMissing = "storyboard-missing"
    /// No object exists at the path, and none can be created (R3, R7).
    case noObject = "no-object"
    /// An object above this object was not restored, or its record is missing.
    case ancestorNotRestored = "parent-dropped"
    /// A controller below this object in the same stack was not restored (R8).
    case stackCut = "stack-cut"
    /// Another object has the same path, or the returned object has already been restored at a different path (R11).
    case duplicatePath = "duplicate-path"
    /// The object threw an error while decoding its state.
    case decodeFailed = "decode-failed"
    /// The delegate refused the saved state (P1).
    case refusedByDelegate = "refused-by-delegate"
    /// The record of the object, or of an object above it, is damaged (L5).
    case damaged
}

extension String {
    /// Returns the string, truncated to at most the given number of bytes.
    ///
    /// A truncated string ends in `…`.
    func truncated(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var cutIndex = utf8.index(startIndex, offsetBy: bytes - "…".utf8.count)
        while cutIndex.samePosition(in: unicodeScalars) == nil {
            cutIndex = utf8.index(before: cutIndex)
        }
        return self[..<cutIndex] + "…"
    }
}

/// Reason why a scene was launched (R2).
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum LaunchReason: String, Sendable, Codable, CaseIterable {
    /// No state was saved.
    case pristine
    /// The application stopped cleanly.
    case restore
    /// The process crashed or was killed.
    case recover
    /// The archive was replaced or rolled back.
    case replace
    /// A storyboard was changed.
    case reload
}

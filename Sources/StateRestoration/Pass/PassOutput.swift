package import ExactText
package import StateRecords

/// Records that a pass needs to write, with counts and diagnostics.
package struct PassOutput: Sendable {
    /// Names and records to write, and the record numbers to remove.
    package var records = PassRecords()
    /// Reserved values for the pass (P4).
    package var passMetadata: PassMetadata
    /// Whether the pass checked every object.
    package var isFullPass: Bool
    /// Number of objects that the pass encoded.
    package var encodedObjectCount = 0
    /// Number of objects that changed without being invalidated (P20).
    package var missedInvalidationCount = 0
    /// Problems that the operator should know about.
    package var diagnostics: [PassDiagnostic] = []
    /// Paths of objects that lost state both in this pass and when they were previously encoded.
    package var pathsOfRepeatedLosses: Set<ExactString> = []

    /// Creates an empty output at the beginning of a pass.
    package init(passMetadata: PassMetadata, isFullPass: Bool) {
        self.passMetadata = passMetadata
        self.isFullPass = isFullPass
    }

    /// Whether the pass has nothing to write (P16).
    package var isEmpty: Bool { records.isEmpty }
}

extension StateEncoder {
    /// Whether there are diagnostics for the current object.
    var hasDiagnostics: Bool { !problems.isEmpty || !warnings.isEmpty }

    /// Returns the diagnostics for the current object.
    ///
    /// - Parameter objectPath: A closure that returns the path of the object. It is called only if there are
    ///   diagnostics.
    package func diagnostics(of objectPath: () -> String) -> [PassDiagnostic] {
        guard hasDiagnostics else { return [] }
        let objectPath = objectPath()
        return problems.map {
            .value(
                StateEncodingError(
                    objectPath: objectPath, key: $0.key, cause: $0.cause,
                    keepsPreviousValue: $0.keepsPreviousValue))
        }
            + warnings.map {
                .largeValue(objectPath: objectPath, key: $0.key, bytes: $0.byteCount)
            }
    }
}

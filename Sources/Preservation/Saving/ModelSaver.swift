import ExactText

/// Type that saves an application's model data and retains unsaved changes across launches (P19).
struct ModelSaver {
    private let documents: DocumentsDirectory?
    /// Model data of the current launch. If its changes could not be written, it is retained after the application
    /// stops.
    private var model: (any ApplicationModel)?
    /// Reason why the last attempt to write the model data failed, or `nil` if it succeeded.
    private(set) var failureReason: String?

    /// Creates a saver without model data.
    ///
    /// - Parameter documents: The directory for the application's model data, or `nil` if the application has no model
    ///   data.
    init(documents: DocumentsDirectory?) { self.documents = documents }

    /// Returns the model data for a launch.
    ///
    /// New model data is created, unless the previous model data has changes that could not be written.
    mutating func loadModel(
        _ makeModel: (@Sendable (DocumentsDirectory) throws -> any ApplicationModel)?
    ) throws -> (any ApplicationModel)? {
        if failureReason == nil { model = try documents.flatMap { try makeModel?($0) } }
        return model
    }

    /// Whether the model data has unwritten changes.
    var hasChanges: Bool { model?.hasChanges ?? false }

    /// Writes the model data to disk if it has changed, and sets or clears ``failureReason``.
    mutating func saveChanges() {
        do {
            try model?.saveChanges()
            failureReason = nil
        } catch {
            failureReason = "the model data could not be written: \(error)"
        }
    }

    /// Discards the model data, including unwritten changes.
    mutating func discard() {
        model = nil
        failureReason = nil
    }

    /// Releases the model data, unless it has changes that could not be written.
    mutating func release() {
        if failureReason == nil { model = nil }
    }
}

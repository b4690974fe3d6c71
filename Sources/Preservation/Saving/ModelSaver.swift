import ExactText

/// Type that saves an application's model data and retains unsaved changes across launches (P19).
struct ModelSaver {
    private let documents: DocumentsDirectory?
    /// Model data of the current launch. It is retained after the application stops if its changes could not be
    /// written.
    private var model: (any ApplicationModel)?
    /// Error from the last attempt to write the model data, or `nil` if the attempt succeeded.
    private(set) var failure: String?

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
        if failure == nil { model = try documents.flatMap { try makeModel?($0) } }
        return model
    }

    /// Whether the model data has unwritten changes.
    var hasChanges: Bool { model?.hasChanges ?? false }

    /// Writes the model data to disk if it has changed, and sets or clears ``failure``.
    mutating func saveChanges() {
        do {
            try model?.saveChanges()
            failure = nil
        } catch {
            failure = "the model data could not be written: \(error)"
        }
    }

    /// Discards the model data, including unwritten changes.
    mutating func discard() {
        model = nil
        failure = nil
    }

    /// Releases the model data, unless it has changes that could not be written.
    mutating func release() {
        if failure == nil { model = nil }
    }
}

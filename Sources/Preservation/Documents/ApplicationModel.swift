/// Model data of an application, which its scenes share and which is kept when their saved state is removed
/// (S1, L7).
///
/// A model is created at each launch of the application, before the scenes, and is used only on the
/// application's actor. A model reads its data when it is created. It can store the data anywhere, most
/// simply in its ``DocumentsFolder``. Reprise never changes model data, even if the saved state is removed
/// (L1).
public protocol ApplicationModel: AnyObject {
    /// Writes the changes since the last call.
    ///
    /// Reprise calls this method in each turn after the commands, before the state of the turn is written
    /// (P19). The method should therefore return quickly if nothing has changed.
    ///
    /// - Throws: An error with the reason if the changes cannot be written. The state is then not written
    ///   either, and both are retried in the next turn.
    func saveChanges() throws

    /// Whether the model has changed since the last call of ``saveChanges()``.
    ///
    /// If a command changes nothing in the saved state, the reply depends on this property: the change is
    /// either in the model or not saved at all (P21).
    var hasChanges: Bool { get }
}

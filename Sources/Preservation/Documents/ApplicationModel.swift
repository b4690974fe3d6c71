/// Model data that an application's scenes share (S1).
///
/// A model is created for each launch of the application, before the scenes, and is used only on the application's
/// actor. It reads its data when it is created. The data can be stored anywhere, most simply in the model's
/// ``DocumentsDirectory``. Reprise does not change model data when it removes saved state (L1, L7).
public protocol ApplicationModel: AnyObject {
    /// Writes all changes made since the last call.
    ///
    /// Reprise calls this method in each turn, after the commands and before the turn's state is written (P19). The
    /// method should therefore return quickly if nothing has changed.
    ///
    /// - Throws: An error that states why the changes cannot be written. In this case, the turn's state is not written
    ///   either, and both are retried in the next turn.
    func saveChanges() throws

    /// Whether the model has changed since the last call to ``saveChanges()``.
    ///
    /// If a command does not change any saved state, the reply depends on this property: the command's change is either
    /// part of the model or not saved at all (P21).
    var hasChanges: Bool { get }
}

/// The model data of an application: what its scenes share, and what outlives their saved state
/// (S1, L7).
///
/// Made once for each launch of the application, before its scenes, and used on its actor alone.
/// It reads its data when it is made and keeps it wherever it likes, most simply in its
/// ``DocumentsFolder``. Reprise never touches it, also when the saved state is removed (L1).
public protocol ApplicationModel: AnyObject {
    /// Writes what changed since the last call.
    ///
    /// Called in each turn after its commands, before anything of the state that belongs to it is
    /// written (P19); so it is cheap when nothing changed.
    ///
    /// - Throws: why it could not. Nothing of the state is written then, and both are tried again
    ///   in the next turn.
    func saveChanges() throws

    /// Whether something changed since the last call of ``saveChanges()``.
    ///
    /// The answer to a command that changed nothing in the saved state goes by it: such a change is
    /// kept here, or nowhere (P21).
    var hasChanges: Bool { get }
}

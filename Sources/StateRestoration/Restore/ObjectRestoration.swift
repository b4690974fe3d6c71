/// Finds or makes an object that was recorded with this class as its restoration class (R3, R7).
///
/// The class is recorded under its token, so it has to be in the application's ``ClassRegistry``.
public protocol ObjectRestoration {
    /// The object for a restoration path; nil drops the object, and everything below it.
    ///
    /// - Parameters:
    ///   - path: the path under which the object was saved.
    ///   - coder: what was saved of the object, and the scene that is restored.
    static func object(
        withRestorationIdentifierPath path: RestorationPath, coder: StateDecoder
    ) -> (any StateRestoring)?
}

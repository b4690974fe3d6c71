public import StateRestoration

/// Value that an application saves after each change and restores after a restart.
///
/// To create a value, call ``Application/value(_:default:aliases:migrations:)``. The value can be used from any task.
/// Its methods wait until the application's `run()` method has launched the application.
public struct RestorableValue<Value: Codable & Sendable>: Sendable {
    let accessor: DeclaredObjectAccessor<ValueObject>

    init(_ accessor: DeclaredObjectAccessor<ValueObject>) {
        self.accessor = accessor
    }

    /// Identifier of the value.
    public var identifier: RestorationIdentifier { accessor.identifier }

    /// Current value.
    ///
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed, or `CancellationError`
    ///   if the task is cancelled.
    public var current: Value {
        get async throws { try await content().value }
    }

    /// Changes the value, and returns after the change has been saved.
    ///
    /// A change that cannot be saved is not rolled back. To refuse a value that is too large or cannot be encoded, use
    /// ``Application/update(_:by:)``.
    ///
    /// If the task is cancelled before `body` runs, nothing changes. If the task is cancelled later, the change is
    /// still saved, but the method does not wait for the save.
    ///
    /// - Parameter body: A closure that changes the value in place on the application's actor. Concurrent updates run
    ///   one after the other. If the closure throws an error, nothing changes.
    /// - Returns: The result of `body`, and the durability level of the change.
    /// - Throws: ``UnsavedChange`` if the change was made in memory but could not be saved, for example because the disk
    ///   is full or the value is too large. ``ApplicationError`` if the application has stopped, its launch has failed,
    ///   or too many commands are waiting. `CancellationError`, or an error that `body` throws. After any error except
    ///   ``UnsavedChange`` and a late cancellation, nothing has changed.
    @discardableResult
    public func update<Result: Sendable>(
        _ body: @escaping @Sendable (inout Value) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await updateEvenIfUnsaved(body).requiringSaved(
            by: accessor.application.bundleIdentifier)
    }

    /// Changes the value like ``update(_:)``, but does not throw an error if the change is not saved.
    ///
    /// - Returns: The result of `body`, and the durability level of the change. If the change is only in memory, the
    ///   level is `notSaved` with the reason.
    /// - Throws: The errors that ``update(_:)`` throws, except ``UnsavedChange``.
    public func updateEvenIfUnsaved<Result: Sendable>(
        _ body: @escaping @Sendable (inout Value) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await accessor.perform { object in
            let result = try content(of: object).update(body)
            object.invalidateRestorableState()
            return result
        }
    }

    /// Sequence that first delivers the current value, and then the new value after each change.
    ///
    /// If the value changes several times before the next value is requested, only the latest value is returned. The
    /// sequence finishes when the application stops for good.
    public var changes: Changes { Changes(value: self) }

    /// Sequence of values (see ``RestorableValue/changes``).
    public struct Changes: AsyncSequence, Sendable {
        /// Type of the values.
        public typealias Element = Value
        fileprivate let value: RestorableValue

        /// Creates an iterator whose first element is the current value.
        public func makeAsyncIterator() -> Iterator {
            Iterator(
                value: value, sceneUpdateIterator: value.accessor.sceneUpdates.makeAsyncIterator())
        }

        /// Iterator over the values. Only one task can use it.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let value: RestorableValue
            fileprivate var sceneUpdateIterator: AsyncStream<Void>.Iterator
            private var lastDeliveredChangeNumber: Int?

            fileprivate init(
                value: RestorableValue, sceneUpdateIterator: AsyncStream<Void>.Iterator
            ) {
                self.value = value
                self.sceneUpdateIterator = sceneUpdateIterator
            }

            /// Returns the current value first, then the value after each change, and `nil` after the application has
            /// stopped for good.
            public mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async -> Value? {
                while true {
                    // Errors are ignored, because a stopped application can be launched again.
                    if let content = try? await value.content(launchesScene: false),
                        content.changeNumber != lastDeliveredChangeNumber
                    {
                        lastDeliveredChangeNumber = content.changeNumber
                        return content.value
                    }
                    if await sceneUpdateIterator.next(isolation: actor) == nil { return nil }
                }
            }
        }
    }

    private func content(
        launchesScene: Bool = true
    ) async throws -> (value: Value, changeNumber: Int) {
        try await accessor.inspect(launchesScene: launchesScene) { object in
            let content = try content(of: object)
            return (content.value, content.changeNumber)
        }
    }

    func content(of object: ValueObject) throws -> TypedContent<Value> {
        guard let content = (object as? TypedValueObject<Value>)?.content else {
            throw accessor.sceneNotLaunchedError
        }
        return content
    }
}

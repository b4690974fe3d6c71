public import StateRestoration

/// A value that an application saves after every change and restores after a restart.
///
/// Create it with ``Application/value(_:default:aliases:migrations:)``. It can be used from any task. The
/// methods wait until the application's `run()` method has launched the application.
public struct RestorableValue<Value: Codable & Sendable>: Sendable {
    let declared: DeclaredObject<ValueObject>

    init(_ declared: DeclaredObject<ValueObject>) {
        self.declared = declared
    }

    /// Identifier under which the value is saved.
    public var identifier: RestorationIdentifier { declared.identifier }

    /// The current value.
    ///
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed, or `CancellationError` if
    ///   the task is cancelled.
    public var current: Value {
        get async throws { try await content().value }
    }

    /// Changes the value, and returns after the change is saved.
    ///
    /// If the task is cancelled before `body` runs, nothing changes. If the task is cancelled later, the change remains
    /// and is saved like any other, but the method no longer waits for that.
    ///
    /// - Parameter body: Changes the value in place, on the application's actor. Concurrent updates run one
    ///   after the other. If the closure throws an error, nothing changes.
    /// - Returns: The result of `body`, and the durability level of the change.
    /// - Throws: ``UnsavedChange`` if the change could not be saved; the value in memory is then the new one.
    ///   ``ApplicationError`` if the application has stopped or its launch has failed, `CancellationError`, or an error
    ///   that `body` throws; nothing has changed in these cases, except after a late cancellation.
    @discardableResult
    public func update<Result: Sendable>(
        _ body: @escaping @Sendable (inout Value) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await updateEvenIfUnsaved(body).requiringSaved(
            by: declared.application.bundleIdentifier)
    }

    /// Changes the value, like ``update(_:)``, but also returns if the change is not saved.
    ///
    /// - Returns: The result of `body`, and the durability level of the change, which is `notSaved` with the reason if
    ///   the change is only in memory.
    /// - Throws: The errors of ``update(_:)`` except ``UnsavedChange``.
    public func updateEvenIfUnsaved<Result: Sendable>(
        _ body: @escaping @Sendable (inout Value) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await declared.perform { object in
            let result = try content(of: object).update(body)
            object.invalidateRestorableState()
            return result
        }
    }

    /// The current value, and then the new value after each change, until the application stops for good.
    ///
    /// If the value changes several times before the next value is requested, only the latest value is
    /// returned.
    public var changes: Changes { Changes(value: self) }

    /// Sequence of the values of ``RestorableValue/changes``.
    public struct Changes: AsyncSequence, Sendable {
        /// Type of the value.
        public typealias Element = Value
        fileprivate let value: RestorableValue

        /// Creates an iterator, which begins with the current value.
        public func makeAsyncIterator() -> Iterator {
            Iterator(value: value, turns: value.declared.changingTurns.makeAsyncIterator())
        }

        /// Iterator over the values, for a single task.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let value: RestorableValue
            fileprivate var turns: AsyncStream<Void>.Iterator
            private var deliveredChange: Int?

            fileprivate init(value: RestorableValue, turns: AsyncStream<Void>.Iterator) {
                self.value = value
                self.turns = turns
            }

            /// Returns the current value first, then the value after each change, and `nil` when no more
            /// changes are possible.
            public mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async -> Value? {
                while true {
                    // A stopped application may be launched again, so errors are ignored.
                    if let content = try? await value.content(launches: false),
                        content.change != deliveredChange
                    {
                        deliveredChange = content.change
                        return content.value
                    }
                    if await turns.next(isolation: actor) == nil { return nil }
                }
            }
        }
    }

    private func content(
        launches: Bool = true
    ) async throws -> (value: Value, change: Int) {
        try await declared.inspect(launches: launches) { object in
            let content = try content(of: object)
            return (content.value, content.change)
        }
    }

    func content(of object: ValueObject) throws -> TypedContent<Value> {
        guard let content = object.content as? TypedContent<Value> else {
            throw declared.isNotThere
        }
        return content
    }
}

import CCrashStamp

/// Lets a process that dies by itself tell by what, and what the dying thread was doing.
///
/// As long as this object lives, a fatal signal that the kernel or this process raised leaves one
/// line at the end of the file, and so does an `exit` by a thread that is in a ``Place``. The line
/// is that of ``Line``. Handlers that the process had before go on as if nothing had been in front
/// of them: Swift's backtraces, a debugger, a crash reporter. Handlers that are put in later take
/// the place of these, and then nothing is told.
package final class CrashStamp: Sendable {
    private let file: File
    private let number: CInt

    /// Arms the handlers of the process, if it is the first.
    ///
    /// - Parameters:
    ///   - file: open for appending.
    ///   - owner: what each line begins with: no control characters, at most 63 bytes.
    /// - Returns: nil if the process has 1,024 of these already.
    package init?(_ file: File, owner: String) {
        let number = crash_stamp_register(file.descriptor.rawValue, owner)
        guard number >= 0 else { return nil }
        self.file = file
        self.number = number
        crash_stamp_install()
    }

    deinit { crash_stamp_unregister(number) }

    /// Whether an `exit` by a thread that is in no place leaves a line too.
    package func markExits(_ marked: Bool) { crash_stamp_mark_exits(number, marked) }

    /// What a thread can be in; the subject ends the lines that it then leaves.
    ///
    /// - Parameter subject: no newline; at most 639 bytes.
    /// - Returns: nil if there is no memory for it.
    package func place(_ subject: String) -> Place? {
        crash_stamp_make_place(number, subject).map { Place($0, of: self) }
    }

    /// A thread that left a line goes on: a handler of its own has mended what was wrong.
    fileprivate func retract() {
        // A line that stays is taken for the end of this process, which is the lesser evil.
        do { try file.truncate(to: 0) } catch {}
    }

    /// What a thread is doing for somebody, while it is in there.
    package final class Place {
        private let place: OpaquePointer
        private let stamp: CrashStamp

        fileprivate init(_ place: OpaquePointer, of stamp: CrashStamp) {
            self.place = place
            self.stamp = stamp
        }

        deinit { crash_stamp_free_place(place) }

        /// How far it has come; at most 31 bytes, no control characters.
        package func reach(_ stage: String) { crash_stamp_set_stage(place, stage) }

        /// Notes the step that runs on an object, until the next one or the next stage.
        ///
        /// - Parameters:
        ///   - step: one word.
        ///   - name: the object's own, the end of its path.
        ///   - above: how many bytes the path of the object above it has, which was told before; 0
        ///     if there is none.
        package func reach(_ step: StaticString, _ name: String, above: Int) {
            var name = name
            name.withUTF8 { name in
                crash_stamp_set_object(
                    place, UnsafeRawPointer(step.utf8Start).assumingMemoryBound(to: CChar.self),
                    above, UnsafeRawPointer(name.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    name.count)
            }
        }

        /// Runs a body with this thread in this place.
        ///
        /// - Parameter stage: as for ``reach(_:)``.
        package func run<Result, Failure>(
            at stage: String, _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            reach(stage)
            let before = crash_stamp_enter(place)
            defer {
                crash_stamp_enter(before)
                if crash_stamp_take_survival() { stamp.retract() }
            }
            return try body()
        }
    }
}

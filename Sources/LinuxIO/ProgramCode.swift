internal import CLinux
import Glibc

/// The code of this program, as far as it is in memory.
package enum ProgramCode {
    /// Gives all of it back to the kernel, which brings back what runs: mostly from its cache, a
    /// few microseconds for sixteen pages (madvise(2), MADV_DONTNEED).
    ///
    /// A start runs most of a program once, and every page of that counts as resident for as long as
    /// nobody lacks memory.
    package static func release() {
        let count = Int(getauxval(UInt(AT_PHNUM)))
        guard let table = UnsafePointer<Elf64_Phdr>(bitPattern: getauxval(UInt(AT_PHDR))) else {
            return
        }
        let headers = UnsafeBufferPointer(start: table, count: count)
        guard let own = headers.first(where: { $0.p_type == PT_PHDR }) else { return }
        let base = UInt(bitPattern: table) - UInt(own.p_vaddr)
        let page = UInt(getpagesize())
        // What was written to is not in the file. A segment of code is never written to.
        for header in headers
        where header.p_type == PT_LOAD && header.p_flags & UInt32(PF_X | PF_W) == PF_X {
            let start = (base + UInt(header.p_vaddr)) / page * page
            let end = base + UInt(header.p_vaddr + header.p_memsz)
            // Nothing is lost if the kernel does not do it.
            _ = madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_DONTNEED)
        }
    }
}

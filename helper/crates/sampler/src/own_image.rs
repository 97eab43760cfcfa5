//! Where the sampler's own code is in its file.

use std::ffi::{c_int, c_void};

struct Search {
    address: u64,
    offset: Option<u64>,
}

/// The offset of code of the sampler itself in its file. None: it is in no part of it.
pub fn offset_in_file(address: u64) -> Option<u64> {
    let mut search = Search {
        address,
        offset: None,
    };
    // SAFETY: the callback has the type that is expected, and gets `search`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.offset
}

/// The first image is the program's.
unsafe extern "C" fn look(image: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: dl_iterate_phdr(3) gives a valid image, and the pointer that `offset_in_file` passed.
    let (image, search) = unsafe { (&*image, &mut *search.cast::<Search>()) };
    // SAFETY: there are as many headers as the image says, and they are mapped as long as it is.
    let headers = unsafe { std::slice::from_raw_parts(image.dlpi_phdr, image.dlpi_phnum.into()) };
    let loaded = headers
        .iter()
        .filter(|header| header.p_type == libc::PT_LOAD);
    search.offset = loaded.fold(None, |found, header| {
        let start = image.dlpi_addr.wrapping_add(header.p_vaddr);
        let at = search.address.wrapping_sub(start);
        found.or((at < header.p_filesz).then(|| header.p_offset.wrapping_add(at)))
    });
    1
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn own_code_is_found_in_the_file() {
        let code = offset_in_file as *const () as u64;
        let offset = offset_in_file(code).expect("it is in the program");
        let file = std::fs::File::open("/proc/self/exe").expect("the program");
        let mut bytes = [0; 16];
        file.read_exact_at(&mut bytes, offset)
            .expect("it is in the file");
        // SAFETY: so many bytes of the function are mapped and readable.
        let mapped = unsafe { std::slice::from_raw_parts(code as *const u8, bytes.len()) };
        assert_eq!(bytes, mapped);
        assert_eq!(offset_in_file((&raw const bytes) as u64), None, "the stack");
    }
}

//! Memory from the system for large data that are accessed at random.

use memmap2::{Mmap, MmapMut};

/// Zero-initialised words, in large pages if the system has them: a random access then waits a third less, because the
/// page table is smaller.
#[derive(Debug)]
pub(crate) struct NewPages {
    map: MmapMut,
    words: usize,
}

/// Words that are only read: written before, or those of a file.
#[derive(Debug)]
pub(crate) struct Pages {
    map: Mmap,
    words: usize,
}

impl NewPages {
    /// Allocates `words` words, all 0.
    ///
    /// # Errors
    /// If the system does not have enough memory.
    pub(crate) fn zeroed(words: usize) -> std::io::Result<Self> {
        // An empty map is an error.
        let map = MmapMut::map_anon(words.max(1) * size_of::<u16>())?;
        // Without large pages, small ones work as well.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self { map, words })
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u16] {
        &mut bytemuck::cast_slice_mut(&mut self.map)[..self.words]
    }

    /// The same memory, no longer to be written.
    pub(crate) fn written(self) -> std::io::Result<Pages> {
        Ok(Pages { map: self.map.make_read_only()?, words: self.words })
    }
}

impl Pages {
    /// The first `words` words of `map`; `None` if it is shorter.
    pub(crate) fn of_map(map: Mmap, words: usize) -> Option<Self> {
        (map.len() / size_of::<u16>() >= words).then_some(Self { map, words })
    }

    #[inline]
    pub(crate) fn words(&self) -> &[u16] {
        let bytes = self.words * size_of::<u16>();
        bytemuck::cast_slice(&self.map[..bytes])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_start_at_zero_and_can_be_written() {
        let none = NewPages::zeroed(0).and_then(NewPages::written).expect("an empty allocation succeeds");
        assert!(none.words().is_empty());
        let mut pages = NewPages::zeroed(3_000_001).expect("6 MB are available");
        assert!(pages.words_mut().iter().all(|&word| word == 0));
        pages.words_mut().iter_mut().zip(0_u32..).for_each(|(word, i)| *word = i as u16);
        let pages = pages.written().expect("memory that can be read");
        assert_eq!(pages.words().len(), 3_000_001);
        assert!(pages.words().iter().zip(0_u32..).all(|(&word, i)| word == i as u16));
    }

    #[test]
    fn a_map_may_be_longer_than_its_words() {
        let map = || MmapMut::map_anon(7).and_then(MmapMut::make_read_only).expect("7 bytes are available");
        assert_eq!(Pages::of_map(map(), 3).map(|pages| pages.words().len()), Some(3));
        assert!(Pages::of_map(map(), 4).is_none());
    }

    #[test]
    fn too_much_memory_is_an_error() {
        assert!(NewPages::zeroed(isize::MAX as usize / 4).is_err());
    }
}
